// Follows: N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1 (bounds of sums).
#include "kernels/emulate/seeded/kernel_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "kernels/emulate/seeded/layer_reference.hpp"
#include "kernels/emulate/seeded/reference_weights.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr auto kRole = models::WeightRole::attention;

MachineOptions machine_options(const KernelSetup& setup) {
  MachineOptions options = setup.machine;
  options.accumulate = setup.options.accumulate;
  options.loop = setup.options.loop;
  options.weights_once_per_batch = setup.options.weights_once_per_batch;
  return options;
}

double unit_roundoff(DType dtype) {
  constexpr double kDouble = 1 + 0x1p-12;  // fp16 sums round to fp32 first
  return dtype == DType::fp16 ? 0x1p-11 * kDouble + 0x1p-24 : dtype == DType::bf16 ? 0x1p-8 : 0x1p-24;
}

/// What is below the normal range errs by half of the least number above zero.
double least(DType dtype) {
  return dtype == DType::fp16 ? 0x1p-25 : 1e-38;
}

void fill(std::uint64_t seed, DType dtype, std::span<float> values) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::normal_distribution<float> normal;
  for (float& value : values) value = normal(random);
  round_in_place(dtype, values);
}

void finish(KernelRun& run, const Machine& machine, const KernelSetup& setup) {
  run.counted.counters = machine.counters();
  run.sram_bytes = setup.machine.reserved_bytes + machine.resident_bytes() + machine.peak_buffer_bytes();
}

void enter(const KernelSetup& setup, const std::string& region) {
  if (setup.machine.recorder != nullptr) setup.machine.recorder->enter(region, 0);
}

template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds one sum's error to the worst ones.
void add_error(KernelError& error, double got, double exact, double bound) {
  const double off = std::isnan(got) ? HUGE_VAL : std::abs(got - exact);
  error.largest = std::max(error.largest, off);
  error.largest_output = std::max(error.largest_output, std::abs(exact));
  error.of_bound = std::max(error.of_bound.value_or(0), off / bound);
}

}  // namespace

KernelRun run_gemv(const std::string& what, std::int64_t rows, std::int64_t cols, std::int64_t batch,
                   const KernelSetup& setup) {
  KernelRun run;
  run.what = what;
  Schedule& schedule = run.counted.schedule;
  Workshop shop{setup.options, PlanCache(setup.collectives)};
  const LayerStorage storage({{"w", kRole, 1, rows, cols, setup.weights}});
  Pass pass;
  pass.batch = batch;
  Builder b(schedule, setup.mesh, pass, shop.options, shop.plans, storage);
  const TensorId in = b.vector("in", Axis::y, b.split(Axis::y, cols));
  const TensorId out = b.vector("out", Axis::x, b.split(Axis::x, rows));
  const TensorId w = b.matrix("w", kRole, Axis::y, b.tensor(in).along_y, b.tensor(out).along_x);
  b.gemv(Part::ffn, "gemv", in, w, out);
  b.reduce(Part::ffn, StepKind::reduce_sum, "reduce", Axis::y, out);
  Machine machine(schedule, machine_options(setup), {});
  const PanelMatrix matrix(setup.seed, rows, setup.weights.dtype, b.tensor(w).along_y, setup.machine.threads);
  Bindings bindings;
  bindings.matrices[w] = {&matrix};
  fill(setup.seed, setup.options.accumulate, machine.buffer(in).values);
  enter(setup, what);
  run.host_seconds = seconds([&] { machine.run(bindings, {}); });
  run.host_bytes = matrix.host_bytes();
  finish(run, machine, setup);
  run.error.emplace();
  const std::int64_t chain = ceil_div(cols, setup.mesh.rows) + setup.mesh.rows;
  const double gamma = reference::sum_bound(chain, unit_roundoff(setup.options.accumulate));
  for (std::int64_t token = 0; token < batch; ++token) {
    const auto x = machine.buffer(in).of(token);
    const reference::Product exact = exact_product(matrix, std::vector<double>(x.begin(), x.end()));
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      add_error(*run.error, machine.buffer(out).of(token)[i], exact.values[i],
                gamma * exact.magnitudes[i] + static_cast<double>(chain) * least(setup.options.accumulate));
    }
  }
  return run;
}

KernelRun run_gemm(const std::string& what, GemmBy by, const GemmSizes& sizes, const KernelSetup& setup) {
  KernelRun run;
  run.what = what;
  Schedule& schedule = run.counted.schedule;
  Workshop shop{setup.options, PlanCache(setup.collectives)};
  (by == GemmBy::tiles ? build_mesh_gemm : build_summa)(sizes, setup.weights, setup.mesh, shop, schedule);
  Machine machine(schedule, machine_options(setup), {});
  const PanelMatrix matrix(setup.seed, sizes.n, setup.weights.dtype, Bands{1, sizes.k, 1}, setup.machine.threads);
  Bindings bindings;
  bindings.matrices[machine.find("gemm.b")] = {&matrix};
  Buffer& a = machine.buffer(machine.find("gemm.a"));
  fill(setup.seed, setup.options.accumulate, a.values);
  enter(setup, what);
  run.host_seconds = seconds([&] { machine.run(bindings, {}); });
  run.host_bytes = matrix.host_bytes();
  finish(run, machine, setup);
  run.error.emplace();
  const Buffer& c = machine.buffer(machine.find("gemm.c"));
  const double gamma = reference::sum_bound(sizes.k + 1, unit_roundoff(setup.options.accumulate));
  const double floor = static_cast<double>(sizes.k + 1) * least(setup.options.accumulate);
  const reference::Matrix weight = whole_matrix(matrix);
  for (std::int64_t m = 0; m < sizes.m; ++m) {
    std::vector<double> row;
    for (std::int64_t k = 0; k < sizes.k; ++k) row.push_back(a.values[static_cast<std::size_t>(k * sizes.m + m)]);
    const reference::Product exact = reference::multiply(weight, row);
    for (std::size_t n = 0; n < exact.values.size(); ++n) {
      add_error(*run.error, c.values[n * static_cast<std::size_t>(sizes.m) + static_cast<std::size_t>(m)],
                exact.values[n], gamma * exact.magnitudes[n] + floor);
    }
  }
  return run;
}

KernelRun run_layer(const std::string& what, const SeededLayerSpec& spec, const KernelSetup& setup) {
  KernelRun run;
  run.what = what;
  SeededLayer layer(spec, setup.seed, machine_options(setup));
  const auto exact = reference_layer(layer, run.no_error_because);
  enter(setup, what);
  run.host_seconds = seconds([&] { layer.run(); });
  run.host_bytes = layer.host_bytes();
  run.counted.schedule = layer.schedule_of_choice();
  finish(run, layer.machine(), setup);
  if (!exact) return run;
  run.error.emplace();
  for (std::size_t i = 0; i < exact->size(); ++i) add_error(*run.error, layer.output()[i], (*exact)[i], 1);
  run.error->of_bound.reset();
  return run;
}

std::vector<LayerMatrix> matrices_of(const models::Layer& layer, std::int64_t hidden_size) {
  Workshop shop{{}, PlanCache({})};
  Schedule schedule;
  build_layer(layer, hidden_size, {1, 1}, {}, shop, schedule);
  std::vector<LayerMatrix> found;
  for (const Step& step : schedule.steps) {
    const bool plain = step.op == ElementOp::matrix || step.op == ElementOp::expert || step.op == ElementOp::expert_sum;
    if (step.kind != StepKind::gemv || !plain) continue;
    const Tensor& tensor = schedule.tensors[static_cast<std::size_t>(step.second)];
    LayerMatrix matrix{std::string(tensor.name), tensor.along(other(tensor.input_axis)).elements(),
                       tensor.along(tensor.input_axis).elements()};
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const LayerMatrix& other) { return other.name == matrix.name; });
    if (!known) found.push_back(std::move(matrix));
  }
  return found;
}

models::Layer stored_as(models::Layer layer, const models::StoredType& weights, DType vectors) {
  using models::WeightRole;
  models::StoredType vector;
  vector.dtype = vectors;
  for (models::Weight& weight : layer.weights) {
    const bool is_vector = weight.role == WeightRole::norm || weight.role == WeightRole::bias ||
                           weight.role == WeightRole::state_space || weight.cols == 1;
    weight.stored = is_vector ? vector : weights;
  }
  return layer;
}

models::StoredType emulated_type(DType dtype) {
  if (dtype == DType::int8 || dtype == DType::int4) return {dtype, 1, 32, 16, 0};
  return {.dtype = dtype};
}

bool counted_as_closed_form(const CountedSchedule& counted) {
  for (std::size_t i = 0; i < counted.counters.size(); ++i) {
    if (!(counted.counters[i] == closed_form(counted.schedule.steps[i]))) return false;
  }
  return counted.counters.size() == counted.schedule.steps.size();
}

}  // namespace waferline::kernels::emulate
