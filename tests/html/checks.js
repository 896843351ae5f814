// What is wrong with the page it runs in: functions that return lists of complaints. `tests/html/pages` calls them.
'use strict';
const checks = {};

const at = (json, pointer) => pointer.split('/').slice(1)
  .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  .reduce((value, step) => value?.[step], json);

const units = {
  '': 1, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, '%': 1e-2, x: 1, B: 1e9, M: 1e6, K: 1e3, T: 1e12, KB: 1e3, MB: 1e6, GB: 1e9,
  TB: 1e12,
};

/// Value of a number as people read it and half a unit of its last digit: "1,492", "670.4 us", "16.06 GB", "3.83x".
const read = (text) => {
  const [, digits, unit] = /^([-+]?[\d,.]+(?:e[-+]?\d+)?) ?(.*)$/.exec(text.trim()) ?? [];
  if (digits === undefined || !(unit in units)) return null;
  const plain = digits.replaceAll(',', '');
  const size = unit === 'B' && text.includes(' ') ? 1 : units[unit];  // bytes after a space, billions without
  const [mantissa, exponent = '0'] = plain.split('e');
  const decimals = mantissa.includes('.') ? mantissa.split('.')[1].length : 0;
  return { value: Number(plain) * size, half: 0.5 * 10 ** (Number(exponent) - decimals) * size };
};

/// Numbers with a pointer equal the document's, to the last bit in the attribute and to the last digit in the text.
checks.numbers = (json) => {
  const found = [];
  for (const element of document.querySelectorAll('[data-key]')) {
    const { key, value } = element.dataset;
    const text = element.textContent;
    const expected = at(json, key);
    const seen = read(text);
    if (typeof expected !== 'number') found.push(`${key} is no number of the document`);
    else if (Number(value) !== expected) found.push(`${key}: ${value} on the page, ${expected} in the document`);
    else if (seen === null) found.push(`${key}: "${text}" cannot be read`);
    else if (Math.abs(seen.value - expected) > seen.half * (1 + 1e-9)) found.push(`${key}: "${text}" for ${expected}`);
  }
  for (const element of document.querySelectorAll('[data-text]')) {
    const expected = at(json, element.dataset.text);
    if (element.textContent !== expected) {
      found.push(`${element.dataset.text}: "${element.textContent}" on the page, "${expected}" in the document`);
    }
  }
  return found;
};

/// No digit stands on the page without a pointer, but for ticks of axes (checks.axes), regions of the map (checks.map), the
/// name of a drawing, which its caption says too, and the command.
checks.pointers = () => {
  const found = [];
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement: parent } = texts.currentNode;
    if (/\d/.test(data) && !parent.closest('[data-key], [data-text], .tick, [data-region], [data-label], footer code, style, head')
        && !parent.matches('svg > title')) {
      found.push(`no pointer: "${data.trim().slice(0, 80)}"`);
    }
  }
  return found;
};

/// A function from a number to its place on an axis, from the axis' ticks. Complains of ticks that disagree.
const axis = (ticks, direction, logarithmic, found) => {
  const place = logarithmic ? Math.log : (value) => value;
  const known = ticks.filter((tick) => direction in tick.dataset).map((tick) => {
    const scale = { k: 1e3, M: 1e6, G: 1e9 }[tick.textContent.at(-1)] ?? 1;
    return [place(parseFloat(tick.textContent) * scale), Number(tick.dataset[direction])];
  });
  const [first, last] = [known[0], known.at(-1)];
  if (known.length < 2) return null;
  const at = (value) => first[1] + ((value - first[0]) / (last[0] - first[0])) * (last[1] - first[1]);
  for (const [value, drawn] of known) {
    if (Math.abs(at(value) - drawn) > 0.3) found.push(`a tick at ${drawn}, its number belongs at ${at(value)}`);
  }
  return (value) => at(place(value));
};

const differs = (found, what, drawn, expected) => {
  if (Number.isFinite(expected) && Math.abs(drawn - expected) > 0.6) found.push(`${what} is drawn at ${drawn}, not at ${expected}`);
};

/// Bars and marks lie where the ticks of their axes say that their numbers are.
checks.axes = (json) => {
  const found = [];
  const numberOf = (id) => Number(document.getElementById(id).dataset.value);
  for (const chart of document.querySelectorAll('svg[data-unit]')) {
    const x = axis([...chart.querySelectorAll('.tick')], 'x', chart.dataset.logarithmic === 'true', found);
    if (!x) found.push(`${chart.getAttribute('aria-labelledby')}: fewer than two ticks`);
    for (const bar of x ? chart.querySelectorAll('rect[data-ends], rect[data-to]') : []) {
      const { start, ends, from, to } = bar.dataset;
      const unit = Number(chart.dataset.unit);
      const [left, width] = [bar.x.baseVal.value, bar.width.baseVal.value];
      if (width <= 1) continue;  // the least that is drawn
      if (ends) differs(found, ends, left + width, x((Number(start) + numberOf(ends)) / unit));
      if (from) differs(found, from, left, Math.min(x(numberOf(from) / unit), x(numberOf(to) / unit)));
      if (to) differs(found, to, left + width, Math.max(x(numberOf(from) / unit), x(numberOf(to) / unit)));
    }
  }
  for (const chart of document.querySelectorAll('svg[data-lines]')) {
    const ticks = [...chart.querySelectorAll('.tick')];
    const x = axis(ticks, 'x', chart.dataset.xLogarithmic !== 'false', found);
    const y = axis(ticks, 'y', chart.dataset.yLogarithmic === 'true', found);
    const { xUnit = 1, yUnit = 1 } = chart.dataset;
    for (const mark of chart.querySelectorAll('[data-x-key]')) {
      const box = mark.getBBox();
      const { xKey, yKey } = mark.dataset;
      if (x) differs(found, xKey, box.x + box.width / 2, x(at(json, xKey) / xUnit));
      if (y) differs(found, yKey, box.y + box.height / 2, y(at(json, yKey) / yUnit));
      if (typeof at(json, xKey) !== 'number' || typeof at(json, yKey) !== 'number') found.push(`${xKey}, ${yKey}: no numbers`);
    }
  }
  return found;
};

const scaleOf = (shape, json) => shape.ownerSVGElement.viewBox.baseVal.width / json.page.usable_cols;
const boxOf = (shape) => [shape.x, shape.y, shape.width, shape.height].map((length) => length.baseVal.value);
const apart = (drawn, expected) => drawn.some((length, i) => Math.abs(length - expected[i]) > 0.02);

/// Every region of the document is drawn once.
const wholeMap = (json) => {
  const drawn = [...document.querySelectorAll('[data-region]')].map((region) => region.dataset.region);
  const regions = (json.regions ?? json.wafer?.regions ?? []).length;
  if (drawn.length === 0 || regions === 0 || (drawn.length === regions && new Set(drawn).size === regions)) return [];
  return [`${drawn.length} regions drawn of ${regions}`];
};

const caches = (json) => [...document.querySelectorAll('[data-cache]')].flatMap((bar) => {
  const { row, col, rows, cols, sram_per_pe_bytes: { kv, free } } = at(json, bar.dataset.cache);
  const scale = scaleOf(bar, json);
  const expected = [col * scale + 1, (row + rows) * scale - 4.5, (cols * scale - 2) * (kv / (kv + free)), 3];
  return apart(boxOf(bar), expected) ? [`the caches of ${bar.dataset.cache} are drawn at ${boxOf(bar)}, not at ${expected}`] : [];
});

const defects = (json) => {
  const listed = json.page?.defects ?? { rows: [], cols: [], pes: [] };
  const marks = [...document.querySelectorAll('[data-defect]')];
  const expected = (listed.rows.length + listed.cols.length + listed.pes.length) * (json.wafers ?? 1);
  const found = marks.length === expected ? [] : [`${marks.length} defects drawn, not ${expected}`];
  for (const mark of marks) {
    const where = at(json, mark.dataset.defect);
    const [row, col] = /rows/.test(mark.dataset.defect) ? [where, null] : /cols/.test(mark.dataset.defect) ? [null, where] : [where.row, where.col];
    const [x, y, width, height] = boxOf(mark);
    const scale = scaleOf(mark, json);
    const centre = [col === null ? json.page.usable_cols / 2 : col + 0.5, row === null ? json.page.usable_rows / 2 : row + 0.5];
    if (apart([x + width / 2, y + height / 2], centre.map((pes) => pes * scale))) found.push(`${mark.dataset.defect} is drawn at ${boxOf(mark)}`);
  }
  return found;
};

/// Columns reach to their numbers, one for each region of the document in its order.
checks.columns = (json) => {
  const found = [];
  for (const chart of document.querySelectorAll('svg[data-columns]')) {
    const ticks = [...chart.querySelectorAll('.tick')];
    const x = axis(ticks, 'x', false, found);
    const y = axis(ticks, 'y', false, found);
    const columns = [...chart.querySelectorAll('[data-column]')];
    if (columns.length !== json.regions.length) found.push(`${columns.length} columns for ${json.regions.length} regions`);
    columns.forEach((column, i) => {
      const [left, top, width, height] = boxOf(column);
      const { column: key } = column.dataset;
      if (key !== `/regions/${i}/stage_s`) found.push(`column ${i} stands for ${key}`);
      if (x) differs(found, `column ${i}`, left + width / 2, x(i));
      differs(found, key, top, y(at(json, key) / chart.dataset.yUnit));
      differs(found, key, top + height, y(0));
    });
  }
  return found;
};

/// Regions lie to scale where the document says, with its numbers in their titles; caches fill their share of the room, and
/// every wafer shows every defect.
checks.map = (json) => {
  const found = [];
  for (const region of document.querySelectorAll('[data-region]')) {
    const { row, col, rows, cols, layers } = at(json, region.dataset.region);
    const scale = scaleOf(region, json);
    const drawn = boxOf(region);
    const expected = [col, row, cols, rows].map((pes) => pes * scale);
    if (apart(drawn, expected)) {
      found.push(`${region.dataset.region} is drawn at ${drawn}, not at ${expected}`);
    }
    const shown = (region.textContent.match(/\d+/g) ?? []).join();
    if (shown !== [...new Set(layers), rows, cols, row, col].join()) found.push(`${region.dataset.region}: ${region.textContent}`);
  }
  for (const label of document.querySelectorAll('[data-label]')) {
    const { layers, what } = at(json, label.dataset.label);
    const expected = layers.length ? [...new Set(layers)].join('-') : what;
    if (label.textContent !== expected) found.push(`${label.dataset.label}: ${label.textContent}`);
  }
  return [...found, ...wholeMap(json), ...caches(json), ...defects(json)];
};

const channels = (color) => color.match(/[\d.]+/g).map(Number);
const luminance = (color) => channels(color).slice(0, 3)
  .map((c) => c / 255)
  .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
const background = (element) => {
  for (let up = element; up; up = up.parentElement) {
    const color = getComputedStyle(up).backgroundColor;
    if (!/, 0\)$/.test(color)) return color;
  }
  return 'rgb(255, 255, 255)';
};
const isSvg = (element) => element instanceof SVGElement;
const isShown = (element) => element.getClientRects().length > 0 && !['title', 'desc'].includes(element.tagName);

/// Text keeps a contrast of 4.5 to 1 with what is behind it, bars and lines 3 to 1 with the page.
checks.contrast = () => {
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!text || !isShown(element)) continue;
    const style = getComputedStyle(element);
    const ratio = contrast(isSvg(element) ? style.fill : style.color, background(element));
    if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(2)}: ${element.textContent.slice(0, 40)}`);
  }
  for (const shape of document.querySelectorAll('rect[class^=fill], path.curve')) {
    const style = getComputedStyle(shape);
    const ratio = contrast(shape.tagName === 'rect' ? style.fill : style.stroke, background(shape));
    if (ratio < 3) found.push(`contrast ${ratio.toFixed(2)}: ${shape.className.baseVal}`);
  }
  return found;
};

/// Nothing is wider than the window, but for what scrolls by itself; every label lies within its drawing and on no other, and
/// text is large enough to read.
checks.layout = () => {
  const found = [];
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) found.push(`${width} px wide in a window of ${innerWidth} px`);
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const labels = [...svg.querySelectorAll('text')].filter(isShown).map((text) => [text.textContent, text.getBoundingClientRect()]);
    labels.forEach(([text, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
        found.push(`"${text}" leaves its drawing`);
      }
      for (const [other, beside] of labels.slice(i + 1)) {
        const across = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
        const down = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
        if (across > 0.5 && down > 4) found.push(`"${text}" lies on "${other}"`);
      }
    });
  }
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!text || !isShown(element)) continue;
    const scale = isSvg(element) ? element.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    if (size < 9.5) found.push(`${size.toFixed(1)} px: "${element.textContent.slice(0, 40)}"`);
  }
  return found;
};

/// On paper nothing scrolls, so nothing may be cut.
checks.print = () => [...document.querySelectorAll('.scroll, pre')]
  .filter((frame) => frame.scrollWidth > frame.clientWidth + 1 || frame.scrollHeight > frame.clientHeight + 1)
  .map((frame) => `cut on paper: ${frame.getAttribute('aria-label')}`);

/// Headings in order, and tables that name their columns and rows. Roles and names: the accessibility tree, in `pages`.
checks.structure = () => {
  const found = [];
  const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((heading) => Number(heading.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) found.push(`headings: ${levels}`);
  levels.forEach((level, i) => i > 0 && level > levels[i - 1] + 1 && found.push(`a heading is skipped: ${levels}`));
  for (const table of document.querySelectorAll('table')) {
    const name = table.caption?.textContent ?? 'a table without caption';
    if (!table.caption) found.push(name);
    const headings = [...table.tHead?.rows[0]?.cells ?? []];
    if (headings.length === 0 || headings.some((cell) => cell.scope !== 'col')) found.push(`${name}: no column headings`);
    for (const row of table.tBodies[0].rows) {
      if (row.cells[0].scope !== 'row') found.push(`${name}: a row without heading`);
      if (row.cells.length !== headings.length) found.push(`${name}: ${row.cells.length} cells in a row`);
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  if (new Set(ids).size !== ids.length) found.push('an id stands twice');
  if (!document.documentElement.lang) found.push('no language');
  if (!document.title) found.push('no title');
  return found;
};
