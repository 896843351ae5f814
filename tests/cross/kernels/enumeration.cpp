// Closed forms of the busiest PE against an enumeration of all PEs of the rectangle.
#include <algorithm>

#include "kernels/count.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernel_layers.hpp"
#include "tests/support/random_layers.hpp"

namespace waferline {
namespace {

using kernels::Bands;
using kernels::ElementOp;
using kernels::Range;
using kernels::Schedule;
using kernels::Step;
using kernels::StepKind;
using kernels::Tensor;
using kernels::TensorId;

/// Largest value of visit(row, col) over a rectangle.
template <class Visit>
std::int64_t largest(Extent extent, Visit visit) {
  std::int64_t most = 0;
  for (std::int64_t row = 0; row < extent.rows; ++row) {
    for (std::int64_t col = 0; col < extent.cols; ++col) most = std::max(most, visit(row, col));
  }
  return most;
}

std::int64_t at(Axis axis, std::int64_t row, std::int64_t col) {
  return axis == Axis::x ? col : row;
}

/// Vectors of head_dim of which a PE holds a piece.
std::int64_t vectors(const Bands& bands, std::int64_t part) {
  return bands.heads_at(part).size * bands.group;
}

/// Work of one gemv on one PE as (products of vectors, inputs, outputs), from what that PE holds.
struct PeWork {
  std::int64_t vectors = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

class PeView {
 public:
  PeView(const Schedule& schedule, const Step& step, std::int64_t row, std::int64_t col)
      : schedule_(schedule), step_(step), row_(row), col_(col) {}

  std::int64_t size(TensorId id, Axis axis) const { return tensor(id).along(axis).size(at(axis, row_, col_)); }
  std::int64_t dims(TensorId id, Axis axis) const { return tensor(id).along(axis).dims_at(at(axis, row_, col_)).size; }
  std::int64_t count(TensorId id, Axis axis) const { return vectors(tensor(id).along(axis), at(axis, row_, col_)); }
  const Tensor& tensor(TensorId id) const { return schedule_.tensors[static_cast<std::size_t>(id)]; }

  /// Elements of a row's run, heads innermost, that belong to heads of this column's band: counted one by one.
  std::int64_t in_band(TensorId along_y, const Bands& columns) const {
    const Range run = tensor(along_y).along_y.dims_at(row_);
    const std::int64_t heads = columns.heads * columns.group;
    std::int64_t found = 0;
    for (std::int64_t i = run.begin; i < run.end(); ++i) {
      const Range mine = columns.heads_at(col_);
      const std::int64_t band = i % heads % columns.heads;
      found += band >= mine.begin && band < mine.end() ? 1 : 0;
    }
    return found;
  }

  PeWork work() const {
    const Axis in = step_.axis;
    const Axis out = other(in);
    switch (step_.op) {
      case ElementOp::scores:
        return {count(step_.input, Axis::x), dims(step_.input, Axis::x), size(step_.output, Axis::y)};
      case ElementOp::values:
        return {count(step_.output, Axis::x), size(step_.input, Axis::y), dims(step_.output, Axis::x)};
      case ElementOp::latent_queries:
        return {in_band(step_.input, tensor(step_.output).along_x), 1, dims(step_.output, Axis::x)};
      case ElementOp::latent_values:
        return {in_band(step_.output, tensor(step_.input).along_x), 1, dims(step_.input, Axis::x)};
      case ElementOp::read_state:
        return {count(step_.output, Axis::x), size(step_.second, Axis::y), dims(step_.output, Axis::x)};
      case ElementOp::expert:
        return {tensor(step_.output).along(out).group, size(step_.second, in), size(step_.second, out)};
      case ElementOp::expert_sum:
        return {tensor(step_.input).along(in).group, size(step_.second, in), size(step_.second, out)};
      default:
        return {1, size(step_.second, in), size(step_.second, out)};
    }
  }

 private:
  const Schedule& schedule_;
  const Step& step_;
  std::int64_t row_, col_;
};

void check_gemv(const Schedule& schedule, const Step& step, LoopOrder loop) {
  const auto work = [&](std::int64_t row, std::int64_t col) { return PeView(schedule, step, row, col).work(); };
  const auto by_output = [loop](const PeWork& w) { return loop == LoopOrder::shorter && w.outputs < w.inputs; };
  CHECK(step.macs == schedule.batch * largest(schedule.extent, [&](auto row, auto col) {
                       const PeWork w = work(row, col);
                       return w.vectors * w.inputs * w.outputs;
                     }));
  if (step.macs == 0) return;  // nobody holds anything of one side
  CHECK(step.instructions == schedule.batch * largest(schedule.extent, [&](auto row, auto col) {
                               const PeWork w = work(row, col);
                               return w.vectors * (by_output(w) ? w.outputs : w.inputs);
                             }));
  CHECK(step.length == largest(schedule.extent, [&](auto row, auto col) {
          const PeWork w = work(row, col);
          return by_output(w) ? w.inputs : w.outputs;
        }));
}

/// Longest line over which the partial sums of one element meet: PEs of a line that share a band.
std::int64_t longest_line(const Bands& bands) {
  std::int64_t most = 1;
  if (!bands.banded()) return most;
  std::vector<std::int64_t> members(static_cast<std::size_t>(bands.heads), 0);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    most = std::max(most, ++members[static_cast<std::size_t>(bands.heads_at(part).begin)]);
  }
  return most;
}

void check_reduction(const Schedule& schedule, const Step& step) {
  std::int64_t line = 1;
  std::int64_t words = 0;
  for (int i = 0; i < step.span; ++i) {
    const Tensor& tensor = schedule.tensors[static_cast<std::size_t>(step.input + i)];
    line = std::max(line, longest_line(tensor.along(step.axis)));
    words += tensor.copies * largest(schedule.extent, [&](auto row, auto col) {
               return tensor.along_x.size(col) * tensor.along_y.size(row);
             });
  }
  CHECK(step.line == line);
  CHECK(step.words == words);
  const auto expected = step.to_root
                            ? kernels::count_reduce(step.plan, line, step.wavelets, tests::tree_choice().rates)
                            : kernels::count_allreduce(step.plan, line, step.wavelets, tests::tree_choice().rates);
  CHECK(step.traffic == expected);
}

/// Every element that a PE needs of a relayout's output lies on some PE of its line: counted over the input.
void check_relayout(const Schedule& schedule, const Step& step) {
  const Tensor& out = schedule.tensors[static_cast<std::size_t>(step.output)];
  CHECK(step.words == out.copies * largest(schedule.extent, [&](auto row, auto col) {
                        return out.along_x.size(col) * out.along_y.size(row);
                      }));
}

void check_tensor(const Schedule& schedule, const Tensor& tensor) {
  CHECK(tensor.elements_per_pe == largest(schedule.extent, [&](auto row, auto col) {
          return tensor.along_x.size(col) * tensor.along_y.size(row);
        }));
}

bool is_head_matrix(const Tensor& tensor) {
  return tensor.name.find("kv_b_proj") != std::string_view::npos;
}

TEST_CASE("the sizes of every step are those of the busiest PE, by enumeration of all PEs in 200 random cases") {
  tests::RandomLayers random(20240607);
  Schedule schedule;
  for (int round = 0; round < 200; ++round) {
    const models::Layer layer = random.layer();
    const Extent extent{random.number(1, 16), random.number(1, 16)};
    const kernels::Pass pass{random.number(1, 3), random.number(1, 90), 1};
    kernels::ScheduleOptions options = tests::random_options(random);
    kernels::Workshop shop = tests::workshop(options);
    kernels::build_layer(layer, random.number(1, 70), extent, pass, shop, schedule);
    INFO("round " << round << ", " << extent.rows << " x " << extent.cols << ", context " << pass.context_tokens);
    for (const Tensor& tensor : schedule.tensors) {
      INFO(tensor.name);
      if (!is_head_matrix(tensor)) check_tensor(schedule, tensor);
    }
    for (const Step& step : schedule.steps) {
      INFO(step.label);
      if (step.kind == StepKind::gemv) check_gemv(schedule, step, options.loop);
      if (step.kind == StepKind::reduce_sum || step.kind == StepKind::reduce_max) check_reduction(schedule, step);
      if (step.kind == StepKind::relayout) check_relayout(schedule, step);
    }
  }
}

TEST_CASE("the shares of a dealt-out dimension cover it once on every line") {
  tests::RandomLayers random(7);
  for (int round = 0; round < 200; ++round) {
    const Bands bands{random.number(1, 9), random.number(1, 33), random.number(1, 40),
                      random.number(1, 2), random.number(1, 3),  false};
    std::vector<int> owners(static_cast<std::size_t>(bands.heads * bands.head_dim), 0);
    std::int64_t most = 0;
    for (std::int64_t part = 0; part < bands.parts; ++part) {
      const Range heads = bands.heads_at(part);
      const Range dims = bands.dims_at(part);
      most = std::max(most, bands.size(part));
      for (std::int64_t head = heads.begin; head < heads.end(); ++head) {
        for (std::int64_t dim = dims.begin; dim < dims.end(); ++dim) {
          ++owners[static_cast<std::size_t>(head * bands.head_dim + dim)];
        }
      }
    }
    CHECK(std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; }));
    CHECK(bands.elements_per_pe() == most);
    CHECK(bands.widest() == longest_line(bands));
  }
}

}  // namespace
}  // namespace waferline
