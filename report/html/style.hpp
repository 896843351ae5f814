#pragma once
// Style of the HTML pages: one column on a phone, two beside each other where there is room, light, dark and print.

namespace waferline::report {

/// Text and background keep a contrast of 4.5 to 1 or more in both schemes; tests/html measures it.
constexpr const char* page_style = R"(
:root{color-scheme:light dark;--bg:#fff;--ink:#1b1f24;--soft:#4f5863;--line:#c9d1d9;--grid:#e3e7eb;--a:#0b5cad;--b:#a8450f;--c:#2f6f3e;--d:#6b3fa0;--tint:#f3f6f9}
@media (prefers-color-scheme:dark){:root{--bg:#0f1419;--ink:#e6edf3;--soft:#a9b4c0;--line:#3a434d;--grid:#252c34;--a:#6cb6ff;--b:#ffab70;--c:#7fd391;--d:#c9a6f5;--tint:#171e26}}
@media print{:root{color-scheme:light;--bg:#fff;--ink:#000;--soft:#444;--line:#999;--grid:#ddd;--a:#0b5cad;--b:#a8450f;--c:#2f6f3e;--d:#6b3fa0;--tint:#fff}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,footer{max-width:68rem;margin:0 auto;padding:0 1rem}
h1{font-size:1.45rem;line-height:1.25;margin:1.5rem 0 .75rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:0 0 .5rem}
section{margin:2.25rem 0;padding-top:1.25rem;border-top:1px solid var(--line)}
p,li{max-width:46rem;overflow-wrap:anywhere}
p{margin:.5rem 0}
.answer{font-size:1.05rem}
.answer strong{display:block;font-size:clamp(1.8rem,9vw,2.6rem);line-height:1.15;font-weight:650;color:var(--a)}
.soft,figcaption,caption,footer p{color:var(--soft)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));gap:1.25rem 2rem;align-items:start}
.pair>*{min-width:0}
.maps{margin:0 0 1.25rem;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:1rem}
.maps.one{max-width:20rem;grid-template-columns:1fr}
.maps.many{grid-template-columns:repeat(auto-fill,minmax(9rem,1fr))}
.maps.most{grid-template-columns:repeat(auto-fill,minmax(4.75rem,1fr));gap:.5rem}
figure{margin:0}
figcaption{font-size:.875rem;margin:0 0 .35rem}
svg{display:block;width:100%;max-width:28rem;height:auto;font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
svg text{fill:var(--ink)}
svg .soft{fill:var(--soft)}
svg .grid{stroke:var(--grid);stroke-width:1}
svg .axis{stroke:var(--soft);stroke-width:1}
svg .whisker{stroke:var(--ink);stroke-width:1.5;fill:none}
svg .fill0{fill:var(--a)}svg .fill1{fill:var(--b)}svg .fill2{fill:var(--c)}svg .fill3{fill:var(--d)}
svg .line0{stroke:var(--a)}svg .line1{stroke:var(--b)}svg .line2{stroke:var(--c)}svg .line3{stroke:var(--d)}
svg .result{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 2}
svg .curve{fill:none;stroke-width:2}
svg .band{opacity:.16}
svg .wafer{fill:var(--tint);stroke:var(--line)}
svg .region{stroke:var(--bg);stroke-width:.7}
svg .defect{fill:var(--ink)}
svg .plate{fill:var(--bg);fill-opacity:.88}
.scroll{overflow-x:auto;max-width:100%;margin:.75rem 0}
.pair>.scroll,.pair>div>.scroll:first-child{margin-top:0}
data{white-space:nowrap}
.scroll.tall{max-height:26rem;overflow-y:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{max-width:calc(100vw - 2rem);text-align:left;font-size:.875rem;padding:0 0 .35rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--grid)}
thead th{border-bottom:1px solid var(--line);color:var(--soft);font-weight:600}
tbody th{font-weight:400;min-width:7rem}
tbody th.number{min-width:0}
td,p code{white-space:nowrap}
.number{text-align:right}
.prose th,.prose td{white-space:normal;overflow-wrap:anywhere;min-width:6rem}
@media (max-width:40rem){.prose,.prose tbody,.prose tr,.prose th,.prose td,.prose caption{display:block;padding-right:0}.prose thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.prose tbody tr{padding:.45rem 0;border-bottom:1px solid var(--line)}.prose tbody th,.prose tbody td{border:0;padding:.05rem 0}.prose tbody th{font-weight:600}.prose tbody td:not(:nth-child(2)){color:var(--soft)}}
pre{background:var(--tint);border:1px solid var(--line);padding:.75rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
footer{border-top:1px solid var(--line);padding-top:1.25rem;padding-bottom:2.5rem}
:focus-visible{outline:3px solid var(--a);outline-offset:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;background:var(--bg);color:var(--a);padding:.5rem}
@media print{body{font-size:10pt}section{break-inside:auto;margin:1rem 0}figure,tr,h2{break-inside:avoid}h2{break-after:avoid}.scroll,.scroll.tall{overflow:visible;max-height:none}.skip{display:none}svg{max-width:12cm}table{font-size:8pt}th,td{padding-right:.5rem}th{overflow-wrap:anywhere;min-width:3.5rem}.answer strong{font-size:22pt}}
)";

}  // namespace waferline::report
