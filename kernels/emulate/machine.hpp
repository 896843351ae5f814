#pragma once
// The emulator: runs a Schedule on real numbers over a rectangle of PEs.
//
// What the PEs of a line hold in copies is kept once, because an all-reduce leaves the same bits everywhere; every sum
// is formed PE by PE and combined in the order of its plan. A product's partial sums are formed when the reduction that
// completes them runs, so that no more than one panel of them exists at a time. Outputs and counters do not depend on
// the number of threads.

#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/emulate/counters.hpp"
#include "kernels/emulate/fold.hpp"
#include "kernels/emulate/kv_cache.hpp"
#include "kernels/emulate/panel_matrix.hpp"
#include "kernels/emulate/recorder.hpp"
#include "kernels/options.hpp"
#include "kernels/schedule.hpp"

namespace waferline::kernels::emulate {

/// What the rectangle's tensors hold, by TensorId. A schedule that serves many layers is bound anew for each.
struct Bindings {
  std::map<TensorId, std::vector<const PanelMatrix*>> matrices;  ///< one, or one for each expert (all bands') or head
  std::map<TensorId, const std::vector<float>*> vectors;         ///< norm weights, biases, sinks, in order of elements
  std::map<TensorId, std::vector<KvCache*>> caches;              ///< one for each token of the pass
  std::map<TensorId, std::vector<float>*> states;                ///< recurrent states, elements as a Buffer has them
};

/// Numbers of the model that no shape tells.
struct Constants {
  float norm_epsilon = 1e-5F;
  float attention_scale = 1;  ///< usually 1 / sqrt(head_dim); applied inside the exponential
  enum class Router : std::uint8_t { softmax_of_chosen, sigmoid_normalised } router = Router::softmax_of_chosen;
  float routed_scale = 1;
  float l2_epsilon = 1e-6F;        ///< of a norm without mean and weight (gated delta rule)
  std::vector<float> head_decays;  ///< of a state whose heads decay by a constant (lightning attention)
};

/// Cosines and sines of one token's position, for pairs (2 j, 2 j + 1) of a head.
struct Rotation {
  std::vector<float> cosines;
  std::vector<float> sines;
};

struct MachineOptions {
  int threads = 1;
  simd::InstructionSet set = simd::best();
  LoopOrder loop = LoopOrder::per_input;
  DType accumulate = DType::fp32;
  std::int64_t sram_bytes_per_pe = 0;   ///< 0: not checked
  std::int64_t reserved_bytes = 0;      ///< code and system, of that
  bool weights_once_per_batch = false;  ///< one sweep of a weight serves all tokens of the pass
  Recorder* recorder = nullptr;         ///< told of every step, PE by PE
};

/// Values of one tensor: element (copy, ix, iy) at (copy x xs + ix) x ys + iy.
struct Buffer {
  std::int64_t copies = 1;
  std::int64_t xs = 1;
  std::int64_t ys = 1;
  std::vector<float> values;
  std::vector<float> partial;  ///< (parts of partial_axis, copies x xs x ys): local sums or maxima not yet reduced
  Axis partial_axis = Axis::x;
  std::vector<std::size_t> pending;  ///< steps whose products are summed when this tensor is reduced

  std::int64_t elements() const { return xs * ys; }
  std::span<float> of(std::int64_t copy) {
    return std::span(values).subspan(static_cast<std::size_t>(copy * elements()), static_cast<std::size_t>(elements()));
  }
  std::span<const float> of(std::int64_t copy) const {
    return std::span(values).subspan(static_cast<std::size_t>(copy * elements()), static_cast<std::size_t>(elements()));
  }
};

class Machine {
 public:
  /// Keeps a reference to the schedule. Errors: DoesNotFit naming PE, step and bytes if a step needs more SRAM than
  /// there is; ConfigError if the schedule has a step that is not emulated.
  Machine(const Schedule& schedule, const MachineOptions& options, const Constants& constants);

  /// Runs all steps. `positions` holds one rotation for each token of the pass.
  void run(const Bindings& bindings, std::span<const Rotation> positions);

  Buffer& buffer(TensorId id) { return buffers_[static_cast<std::size_t>(id)]; }
  const Buffer& buffer(TensorId id) const { return buffers_[static_cast<std::size_t>(id)]; }
  /// The tensor of that name, counted from `occurrence`; kNoTensor if there is none.
  TensorId find(std::string_view name, int occurrence = 0) const;
  /// Of the last run, one for each step.
  const std::vector<StepCounters>& counters() const { return counters_; }
  /// What the experts of each band had to do in the last run; empty if there are none.
  const std::vector<ExpertLoad>& expert_loads() const { return expert_loads_; }
  /// Of each token, the least score of a position that a sparse indexer chose.
  const std::vector<float>& thresholds() const { return thresholds_; }
  /// SRAM of the busiest PE: resident bytes, and buffers at the step that has most of them alive.
  std::int64_t resident_bytes() const { return resident_bytes_; }
  std::int64_t peak_buffer_bytes() const { return peak_buffer_bytes_; }

 private:
  struct Term {
    const PanelMatrix* matrix = nullptr;
    const float* inputs = nullptr;  ///< in the matrix's input order
  };
  /// Outputs [0, count) of `terms` summed to `output`.
  struct Product {
    std::vector<Term> terms;
    float* output = nullptr;
    std::int64_t count = 0;
  };

  void account_sram();
  void run_step(std::size_t index);
  const Tensor& tensor(TensorId id) const { return schedule_->tensors[static_cast<std::size_t>(id)]; }
  DType type(TensorId id) const { return tensor(id).stored.dtype; }
  bool fp16_sums() const { return options_.accumulate == DType::fp16; }
  const Fold& fold(const CollectivePlan& plan, std::int64_t pes);
  const FoldTraffic& traffic(const Fold& fold, std::int64_t wavelets, bool multicast);
  /// What each part of a line holds, worked out once.
  struct Dealt {
    Bands bands;
    std::vector<Range> heads;
    std::vector<Range> dims;
    /// Parts to tally: for a recorder all of them, otherwise one of each size, since a counter is that of the PE that
    /// has most.
    std::vector<std::int64_t> tallied;
  };
  const Dealt& dealt(const Bands& bands);
  std::span<const std::int64_t> pieces(const Bands& bands) { return dealt(bands).tallied; }
  /// Most elements that a PE of the line holds.
  std::int64_t most_elements(const Bands& bands);

  // recorder.cpp: each tallies the work of PEs for the step's counters, and for the recorder if there is one.
  void observe_everywhere(StepCounters& counters, const PeWork& work);
  /// The PEs at `part` of every line along `axis`.
  void observe(StepCounters& counters, Axis axis, std::int64_t part, const PeWork& work);
  void observe_at(StepCounters& counters, std::int64_t row, std::int64_t col, const PeWork& work);
  void record(std::size_t index);
  void record_travel(const Step& step, const StepCounters& counters);
  void record_line(const Step& step, std::int64_t line, Range pes, std::int64_t words);

  // products.cpp
  void multiply(std::size_t index);
  void count_product(const Step& step, StepCounters& counters);
  void count_cache_product(const Step& step, StepCounters& counters);
  void record_product(const Step& step, std::int64_t products, std::int64_t sweeps);
  void complete_products(TensorId id, const CollectivePlan& plan);
  std::vector<Product> matrix_products(TensorId id);
  void evaluate(const std::vector<Product>& products, const Fold& fold, DType wire);
  const float* ordered_inputs(TensorId input, std::int64_t first, const PanelMatrix& matrix);

  // attention.cpp
  void complete_scores(TensorId id, const CollectivePlan& plan);
  void complete_values(TensorId id, const CollectivePlan& plan);
  void scores_of_head(TensorId id, std::int64_t copy, std::int64_t head, const Fold& fold);
  void values_of_head(TensorId id, std::int64_t copy, std::int64_t head, const Fold& fold);
  void append(const Step& step, StepCounters& counters);
  void shift(const Step& step, StepCounters& counters);
  void soften(const Step& step, StepCounters& counters);
  void divide(const Step& step, StepCounters& counters);

  // latent.cpp
  static bool is_latent(const Step& step) {
    return step.op == ElementOp::latent_queries || step.op == ElementOp::latent_values;
  }
  void count_latent(const Step& step, StepCounters& counters);
  void complete_latent(TensorId id, const CollectivePlan& plan);

  // recurrent.cpp
  static bool reads_state(const Step& step) {
    return step.op == ElementOp::read_state || step.op == ElementOp::read_channels;
  }
  bool recurrent(const Step& step, StepCounters& counters);
  void convolve(const Step& step, StepCounters& counters);
  void open_gates(const Step& step, StepCounters& counters);
  void decay(const Step& step, StepCounters& counters);
  void update_state(const Step& step, StepCounters& counters);
  void combine_vectors(const Step& step, StepCounters& counters);
  void observe_state(const Step& step, StepCounters& counters, std::int64_t per_vector, bool by_row);
  void complete_read(TensorId id, const CollectivePlan& plan);
  void count_read(const Step& step, StepCounters& counters);

  // gemm.cpp
  static bool multiplies_tiles(const Step& step) {
    return step.op == ElementOp::tile_product || step.op == ElementOp::panel_product;
  }
  struct TileColumns {
    Range n;                   ///< columns of C
    std::int64_t first_k = 0;  ///< with which their PE begins
  };
  std::vector<std::int64_t> starting_blocks();
  void multiply_rows(const Step& step, std::span<const float> by_row, std::int64_t panel, Range rows,
                     const TileColumns& cols);
  void multiply_tiles(const Step& step, StepCounters& counters);
  void count_tiles(const Step& step, const std::vector<std::int64_t>& starts, StepCounters& counters);
  void pass_tiles(const Step& step, StepCounters& counters);

  // experts.cpp
  /// An expert that a token chose.
  struct Choice {
    std::int64_t expert = 0;
    std::int64_t band = 0;   ///< of PEs, which holds the expert
    std::int64_t piece = 0;  ///< of the token's inner buffers, that of the expert
    float gate = 0;
  };
  void take_in_choices(TensorId chosen);
  void count_experts(const Step& step, StepCounters& counters);
  void count_inner(const Bands& bands, Axis axis, std::int64_t instructions, bool exponential, StepCounters& counters);
  void expert_terms(const Step& step, std::int64_t copy, Product& sum);
  void expert_products(const Step& step, std::int64_t copy, std::vector<Product>& products);
  void multiply_by_gates(const Step& step, StepCounters& counters);
  bool expert_bias(const Step& step, StepCounters& counters);
  void count_expert_bias(const Step& step, StepCounters& counters);

  // indexer.cpp
  void score_positions(const Step& step, StepCounters& counters);
  void find_thresholds(const Step& step, StepCounters& counters);

  // layer_norm.cpp
  void mean_sums(const Step& step, StepCounters& counters);
  void center(const Step& step, StepCounters& counters);

  // local_sums.cpp
  void local_sums(const Step& step, StepCounters& counters);
  void sum_positions(const Step& step, Range own, std::int64_t copy, float* sums);
  void sum_vector(const Step& step, const Dealt& line, std::int64_t part, std::int64_t copy, float* sums);
  void count_sums(const Step& step, const Bands& bands, std::int64_t part, StepCounters& counters);
  void settle_sums(const Step& step, Axis axis);

  // elementwise.cpp
  void elementwise(std::size_t index);
  void normalise(const Step& step, StepCounters& counters);
  void rotate(const Step& step, StepCounters& counters);
  void pointwise(const Step& step, StepCounters& counters);
  void gate_with_silu(const Step& step);

  // communicate.cpp
  void reduce(std::size_t index);
  void reduce_partials(TensorId id, const Step& step);
  void count_travel(const Step& step, StepCounters& counters);
  void relayout(const Step& step);
  void local_top_k(const Step& step, StepCounters& counters);
  void select(const Step& step);
  void gate(const Step& step, StepCounters& counters);
  void fetch_rows(const Step& step, StepCounters& counters);

  const Schedule* schedule_;
  MachineOptions options_;
  Constants constants_;
  const Bindings* bindings_ = nullptr;
  std::span<const Rotation> rotations_;
  std::vector<Buffer> buffers_;
  std::vector<StepCounters> counters_;
  std::map<std::pair<std::int64_t, std::int64_t>, Fold> folds_;  ///< by line length and index of the plan
  std::vector<CollectivePlan> plans_;
  std::map<std::tuple<const Fold*, std::int64_t, bool>, FoldTraffic> traffic_;
  std::list<Dealt> dealt_;
  Bands expert_bands_;                        ///< of the experts' inner width
  std::vector<std::vector<Choice>> choices_;  ///< of each token
  std::vector<ExpertLoad> expert_loads_;
  std::list<PanelMatrix> bias_columns_;
  std::vector<float> thresholds_;
  std::int64_t rounds_ = 1;                 ///< of the search for them, each with a reduction
  std::vector<std::vector<float>> inputs_;  ///< ordered inputs alive until their products are complete
  std::int64_t resident_bytes_ = 0;
  std::int64_t peak_buffer_bytes_ = 0;
  PeGrid pes_;                                   ///< of the step that runs, if there is a recorder
  std::vector<std::int64_t> step_buffer_bytes_;  ///< likewise: buffers alive in each step
};

}  // namespace waferline::kernels::emulate
