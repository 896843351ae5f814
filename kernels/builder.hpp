#pragma once
// Appends steps and tensors to a schedule, with every size of the busiest PE worked out. The kernels are written in
// these.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "arch/region.hpp"
#include "kernels/options.hpp"
#include "kernels/partition.hpp"
#include "kernels/plan_cache.hpp"
#include "kernels/schedule.hpp"
#include "models/layer.hpp"

namespace waferline::kernels {

/// How the weights of a layer are stored: by role, the type of the first weight that has the role.
class LayerStorage {
 public:
  LayerStorage() = default;
  explicit LayerStorage(const std::vector<models::Weight>& weights);
  const models::StoredType& of(models::WeightRole role) const { return types_[static_cast<std::size_t>(role)]; }
  bool convolution_bias() const { return convolution_bias_; }
  bool norm_bias() const { return norm_bias_; }

 private:
  std::array<models::StoredType, 9> types_{};
  bool convolution_bias_ = false;
  bool norm_bias_ = false;
};

/// Sizes of the local part of a multiplication on the busiest PE.
struct LocalGemv {
  std::int64_t vectors = 1;   ///< heads, experts or tokens that are multiplied one after the other
  std::int64_t inputs = 0;    ///< of each
  std::int64_t outputs = 0;   ///< of each
  std::int64_t sweeps = 0;    ///< whole matrices that the pass multiplies by (chosen experts); 0: one for each token
  std::int64_t distinct = 1;  ///< of them that differ
};

/// Writes one schedule. Keeps references: schedule and plans must outlive it.
class Builder {
 public:
  Builder(Schedule& schedule, Extent extent, const Pass& pass, const ScheduleOptions& options, PlanCache& plans,
          const LayerStorage& storage);

  const Pass& pass() const { return pass_; }
  const ScheduleOptions& options() const { return options_; }
  const LayerStorage& storage() const { return *storage_; }
  Extent extent() const { return extent_; }
  std::int64_t batch() const { return pass_.batch; }

  // Layouts.

  /// n elements in blocks along `axis`.
  Bands split(Axis axis, std::int64_t n) const { return {1, n, extent_.along(axis), 1, 1, false}; }
  /// n elements on every PE of each line along `axis`.
  Bands everywhere(Axis axis, std::int64_t n = 1) const { return {1, n, extent_.along(axis), 1, 1, true}; }
  /// Heads in bands along `axis`.
  Bands bands(Axis axis, std::int64_t heads, std::int64_t group, std::int64_t head_dim,
              std::int64_t granule = 1) const {
    return {heads, head_dim, extent_.along(axis), granule, group, false};
  }
  /// One value for each vector of `bands`, on every PE of its band.
  static Bands one_each(const Bands& of) { return {of.heads, 1, of.parts, 1, of.group, true}; }

  // Tensors.

  /// A vector dealt out along `axis`, replicated along the other, one copy a token, in the type of partial sums.
  TensorId vector(std::string_view name, Axis axis, const Bands& along);
  /// A buffer dealt out along both axes, one copy a token, in the type of partial sums.
  TensorId grid(std::string_view name, const Bands& along_x, const Bands& along_y);
  /// Statistics and choices, which are kept in 32 bits: sums of norms and of softmax, maxima, indices.
  TensorId statistic(std::string_view name, const Bands& along_x, const Bands& along_y) {
    return resident(name, SramUse::buffer, DType::fp32, along_x, along_y);
  }
  TensorId statistic(std::string_view name, Axis axis, const Bands& along) {
    return axis == Axis::x ? statistic(name, along, everywhere(Axis::y)) : statistic(name, everywhere(Axis::x), along);
  }
  /// A cache (kv) or state, one copy a token.
  TensorId resident(std::string_view name, SramUse use, DType dtype, const Bands& along_x, const Bands& along_y);
  /// `copies` matrices whose inputs are dealt out along `input_axis`.
  TensorId matrix(std::string_view name, models::WeightRole role, Axis input_axis, const Bands& inputs,
                  const Bands& outputs, std::int64_t copies = 1);
  /// A matrix of `elements` of which each PE holds a block of rows x cols: per-head matrices, where a head's inputs
  /// meet its outputs only, and per-channel filters.
  TensorId head_matrix(std::string_view name, models::WeightRole role, Axis input_axis, const Bands& inputs,
                       const Bands& outputs, std::int64_t rows, std::int64_t cols, std::int64_t elements);
  /// A weight with the layout of another tensor (biases, norms); `copies` of it (experts).
  TensorId weight_like(std::string_view name, models::WeightRole role, TensorId like, std::int64_t copies = 1);
  /// A weight vector dealt out along `axis`, replicated along the other; `heads_share` one piece of it.
  TensorId weight_vector(std::string_view name, models::WeightRole role, Axis axis, const Bands& along,
                         bool heads_share = false);
  TensorId weight_grid(std::string_view name, models::WeightRole role, const Bands& along_x, const Bands& along_y);

  TensorId last_tensor() const { return static_cast<TensorId>(schedule_->tensors.size() - 1); }
  /// Valid until the next tensor is added: copy what is needed longer.
  const Tensor& tensor(TensorId id) const { return schedule_->tensors[static_cast<std::size_t>(id)]; }
  /// Elements of one copy on the busiest PE.
  std::int64_t local(TensorId id) const { return tensor(id).elements_per_pe; }

  // Steps.

  std::size_t steps() const { return schedule_->steps.size(); }
  /// Marks all steps from `first` on.
  void mark_data_dependent(std::size_t first);
  /// y = W x for every token: partial sums of the local outputs over the local inputs.
  Step& gemv(Part part, std::string_view label, TensorId input, TensorId weight, TensorId output);
  /// A multiplication of another kind along `axis`, with sizes as given.
  Step& multiply(Part part, ElementOp op, std::string_view label, TensorId input, TensorId weight, TensorId output,
                 Axis axis, const LocalGemv& sizes);
  /// The same where PEs have different work: every size is that of the PE that has most of it.
  Step& multiply_busiest(Part part, ElementOp op, std::string_view label, TensorId input, TensorId weight,
                         TensorId output, Axis axis, const std::vector<LocalGemv>& sizes);
  /// Work on local data: `instructions` vector instructions of `length` elements for each token.
  Step& elementwise(Part part, ElementOp op, std::string_view label, TensorId input, TensorId second, TensorId output,
                    std::int64_t instructions, std::int64_t length);
  /// All-reduce along `axis` of `span` tensors from `first` on; nothing if no line has two PEs to reduce over.
  Step* reduce(Part part, StepKind kind, std::string_view label, Axis axis, TensorId first, int span = 1,
               bool to_root = false);
  /// Gathers `output`, which lies otherwise than `input`, from the PEs of each line along `axis`.
  Step& relayout(Part part, std::string_view label, Axis axis, TensorId input, TensorId output);
  /// From one PE of each line along `axis` to the others.
  Step& multicast(Part part, std::string_view label, Axis axis, TensorId tensor);
  /// Merges lists of k candidates a token along `axis`; every PE ends with the best k.
  Step& select(Part part, std::string_view label, Axis axis, TensorId candidates, TensorId chosen);
  /// Every PE passes its share of `span` tensors to the neighbour along `axis`.
  Step* shift(Part part, std::string_view label, Axis axis, TensorId first, int span);
  /// `words` elements from each PE of the edge to the next rectangle, `distance` hops away.
  Step& stream(Part part, std::string_view label, Axis axis, TensorId tensor, std::int64_t distance);

 private:
  TensorId add(const Tensor& tensor);
  Step& add_step(StepKind kind, Part part, ElementOp op, std::string_view label);
  void size_product(Step& step, const LocalGemv& sizes, std::int64_t elements, std::int64_t bytes) const;
  void travel(Step& step, Axis axis, TensorId first, int span);

  Schedule* schedule_;
  Extent extent_;
  Pass pass_;
  ScheduleOptions options_;
  PlanCache* plans_;
  const LayerStorage* storage_;
};

}  // namespace waferline::kernels
