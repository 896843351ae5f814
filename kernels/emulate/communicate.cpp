// Follows: WaferLLM (arXiv 2502.04563), section 5 (all-reduce: fold to the middle, multicast back).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arch/error.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

std::int64_t widest_line(const Bands& bands) {
  if (!bands.banded()) return 1;
  std::int64_t widest = 1;
  for (std::int64_t head = 0; head < bands.heads; ++head) widest = std::max(widest, bands.band(head).size);
  return widest;
}

/// Heads innermost become whole heads: head `member x bands + band` is that member of the band.
void gather_heads(const Buffer& input, const Bands& bands, Buffer& output) {
  const std::int64_t heads = bands.heads * bands.group;
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    for (std::int64_t vector = 0; vector < heads; ++vector) {
      const std::int64_t head = vector % bands.group * bands.heads + vector / bands.group;
      for (std::int64_t dim = 0; dim < bands.head_dim; ++dim) {
        output.of(copy)[static_cast<std::size_t>(vector * bands.head_dim + dim)] =
            input.of(copy)[static_cast<std::size_t>(dim * heads + head)];
      }
    }
  }
}

/// Keeps the k largest of two lists of (value, index); of equal values the one with the lower index.
void merge_top(std::span<float> kept, std::span<const float> received) {
  const std::size_t k = kept.size() / 2;
  std::vector<float> merged(kept.size());
  std::size_t a = 0;
  std::size_t b = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const bool first = kept[a] > received[b] || (kept[a] == received[b] && kept[k + a] <= received[k + b]);
    merged[i] = first ? kept[a] : received[b];
    merged[k + i] = first ? kept[k + a] : received[k + b];
    (first ? a : b) += 1;
  }
  std::copy(merged.begin(), merged.end(), kept.begin());
}

}  // namespace

void Machine::count_travel(const Step& step, StepCounters& counters) {
  for (int i = 0; i < step.span; ++i) {
    const auto id = static_cast<TensorId>((step.kind == StepKind::relayout ? step.output : step.input) + i);
    const std::int64_t words =
        most_elements(tensor(id).along_x) * most_elements(tensor(id).along_y) * tensor(id).copies;
    counters.words += words;
    counters.wavelets += wavelets(type(id), words);
    counters.line = std::max(counters.line, widest_line(tensor(id).along(step.axis)));
  }
  switch (step.kind) {
    case StepKind::reduce_max:
    case StepKind::reduce_sum:
      break;
    case StepKind::select:
    case StepKind::multicast:
    case StepKind::shift:
      counters.line = schedule_->extent.along(step.axis);
      break;
    case StepKind::relayout: {
      const Bands& source = tensor(step.input).along(step.axis);
      const bool anywhere = source.whole || tensor(step.output).along(step.axis).heads == 1;
      counters.line = anywhere ? schedule_->extent.along(step.axis) : widest_line(source);
      break;
    }
    default:
      counters.line = 1;
  }
  const bool folds =
      step.kind == StepKind::reduce_max || step.kind == StepKind::reduce_sum || step.kind == StepKind::select;
  if (folds) {
    const FoldTraffic& moved = traffic(fold(step.plan, counters.line), counters.wavelets, !step.to_root);
    counters.link_wavelets = moved.link_wavelets;
    counters.combines = moved.combines;
  } else if (counters.line > 1 || step.kind == StepKind::stream) {
    counters.link_wavelets = counters.wavelets;
  }
}

void Machine::reduce(std::size_t index) {
  const Step& step = schedule_->steps[index];
  for (int i = 0; i < step.span; ++i) {
    const auto id = static_cast<TensorId>(step.input + i);
    if (!buffer(id).pending.empty()) {
      complete_products(id, step.plan);
    } else {
      reduce_partials(id, step);
    }
  }
  count_travel(step, counters_[index]);
  if (step.repeats > 1) counters_[index].repeats = rounds_;
}

void Machine::reduce_partials(TensorId id, const Step& step) {
  Buffer& output = buffer(id);
  if (output.partial.empty()) throw ConfigError(fmt::format("emulate: step {}: nothing to reduce", step.label));
  const Bands& bands = tensor(id).along(step.axis);
  const std::int64_t elements = output.elements();
  const Reduction reduction = step.kind == StepKind::reduce_max ? Reduction::maximum : Reduction::sum;
  const std::int64_t lines = bands.heads;
  const std::int64_t each = elements / lines;  // elements that a line reduces
  std::vector<float> line_values;
  for (std::int64_t head = 0; head < lines; ++head) {
    const Range pes = bands.banded() ? bands.band(head) : Range{Split{bands.heads, bands.parts}.owner(head), 1};
    const std::int64_t lanes = output.copies * each;
    line_values.clear();
    for (std::int64_t pe = pes.begin; pe < pes.end(); ++pe) {
      for (std::int64_t copy = 0; copy < output.copies; ++copy) {
        const float* from = output.partial.data() + (pe * output.copies + copy) * elements + head * each;
        line_values.insert(line_values.end(), from, from + each);
      }
    }
    const auto done = run_fold(fold(step.plan, pes.size), reduction, type(id), options_.set, line_values, lanes);
    for (std::int64_t copy = 0; copy < output.copies; ++copy) {
      std::copy_n(done.begin() + copy * each, each, output.of(copy).begin() + head * each);
    }
  }
  output.partial.clear();
}

void Machine::relayout(const Step& step) {
  const Buffer& input = buffer(step.input);
  Buffer& output = buffer(step.output);
  if (step.op == ElementOp::gather_heads) return gather_heads(input, tensor(step.output).along_x, output);
  // A shorter input is the same for each band of the output.
  const std::int64_t taken = std::min(output.elements(), input.elements() - step.first);
  if (taken < 1 || output.elements() % taken != 0 || input.copies != output.copies)
    throw ConfigError(fmt::format("emulate: step {} is not emulated", step.label));
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    const auto from = input.of(copy).subspan(static_cast<std::size_t>(step.first), static_cast<std::size_t>(taken));
    for (std::int64_t first = 0; first < output.elements(); first += taken)
      std::copy(from.begin(), from.end(), output.of(copy).begin() + first);
  }
}

void Machine::local_top_k(const Step& step, StepCounters& counters) {
  const Buffer& logits = buffer(step.input);
  Buffer& candidates = buffer(step.output);
  const std::int64_t k = candidates.xs / 2;
  const Bands& bands = tensor(step.input).along_x;
  candidates.partial_axis = Axis::x;
  candidates.partial.assign(static_cast<std::size_t>(bands.parts * candidates.copies * 2 * k),
                            -std::numeric_limits<float>::infinity());
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    const Range local = bands.dims_at(part);
    const std::int64_t found = std::min(k, local.size);
    for (std::int64_t copy = 0; copy < candidates.copies; ++copy) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(local.size));
      std::iota(order.begin(), order.end(), local.begin);
      const auto values = logits.of(copy);
      std::partial_sort(order.begin(), order.begin() + found, order.end(), [&](std::int64_t a, std::int64_t b) {
        const float left = values[static_cast<std::size_t>(a)];
        const float right = values[static_cast<std::size_t>(b)];
        return left > right || (left == right && a < b);
      });
      float* list = candidates.partial.data() + (part * candidates.copies + copy) * 2 * k;
      for (std::int64_t i = 0; i < found; ++i) {
        list[i] = values[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
        list[k + i] = static_cast<float>(order[static_cast<std::size_t>(i)]);
      }
    }
  }
  const bool router = step.part == Part::router;
  for (const std::int64_t part : pieces(bands)) {
    const Range local = bands.dims_at(part);
    const std::int64_t found = std::min(k, local.size);
    PeWork work;  // one pass over the local values for each candidate; a router also takes their exponentials
    work.instruction(local.size, (router ? found : k) * candidates.copies);
    if (router) work.exponentials = local.size * candidates.copies;
    observe(counters, Axis::x, part, work);
  }
}

void Machine::select(const Step& step) {
  Buffer& candidates = buffer(step.input);
  Buffer& chosen = buffer(step.output);
  const std::int64_t size = candidates.xs;
  const std::int64_t line = schedule_->extent.along(step.axis);
  const auto list = [&](std::int64_t pe, std::int64_t copy) {
    return std::span(candidates.partial)
        .subspan(static_cast<std::size_t>((pe * candidates.copies + copy) * size), static_cast<std::size_t>(size));
  };
  const Fold& order = fold(step.plan, line);
  for (std::int64_t copy = 0; copy < candidates.copies; ++copy) {
    for (const Combine& combine : order.combines) {
      if (combine.store) {
        std::copy(list(combine.from, copy).begin(), list(combine.from, copy).end(), list(combine.to, copy).begin());
      } else {
        merge_top(list(combine.to, copy), list(combine.from, copy));
      }
    }
    std::copy(list(order.root, copy).begin(), list(order.root, copy).end(), chosen.of(copy).begin());
  }
}

void Machine::gate(const Step& step, StepCounters& counters) {
  Buffer& chosen = buffer(step.output);
  const std::int64_t k = chosen.xs / 2;
  const DType stored = type(step.output);
  const bool sampling = step.part == Part::sampling;
  const bool sigmoid = !sampling && constants_.router == Constants::Router::sigmoid_normalised;
  for (std::int64_t copy = 0; copy < chosen.copies; ++copy) {
    const auto values = chosen.of(copy).first(static_cast<std::size_t>(k));
    const float maximum = values[0];
    float sum = 0;
    for (float& value : values) {
      value = rounded(stored, sigmoid ? sigmoid_fp32(value) : exp_fp32(value - maximum));
      sum = rounded(stored, sum + value);
    }
    const float scale = (sampling ? 1.0F : constants_.routed_scale) / sum;
    for (float& value : values) value = rounded(stored, value * scale);
  }
  if (!sampling) take_in_choices(step.output);
  PeWork work;
  work.instruction(k, 2 * chosen.copies);
  work.specials = chosen.copies;
  if (sampling) work.exponentials = k * chosen.copies;
  observe_everywhere(counters, work);
}

void Machine::fetch_rows(const Step& step, StepCounters& counters) {
  const Buffer& tokens = buffer(step.input);
  Buffer& hidden = buffer(step.output);
  const PanelMatrix& table = *bindings_->matrices.at(step.second)[0];
  for (std::int64_t copy = 0; copy < hidden.copies; ++copy) {
    const auto token = static_cast<std::int64_t>(tokens.of(copy)[0]);
    if (token < 0 || token >= table.outputs()) {
      throw ConfigError(
          fmt::format("token id {}: not in the vocabulary (permitted: 0 to {})", token, table.outputs() - 1));
    }
    for (std::int64_t i = 0; i < table.inputs(); ++i) {
      const std::int64_t element = table.order().global[static_cast<std::size_t>(i)];
      hidden.of(copy)[static_cast<std::size_t>(element)] = rounded(type(step.output), table.at(token, i));
    }
  }
  const Bands& bands = tensor(step.output).along_y;
  for (const std::int64_t part : pieces(bands)) {
    PeWork work;
    work.instruction(bands.size(part), hidden.copies);
    counters.observe(work);
    if (options_.recorder == nullptr) continue;
    for (std::int64_t copy = 0; copy < hidden.copies; ++copy) {  // the column that owns a token's row fetches it
      const auto token = static_cast<std::int64_t>(tokens.of(copy)[0]);
      const Bands& vocabulary = tensor(step.second).along_x;
      PeWork one;
      one.instruction(bands.size(part));
      pes_.add(part, Split{vocabulary.head_dim, vocabulary.parts}.owner(token), one);
    }
  }
}

}  // namespace waferline::kernels::emulate
