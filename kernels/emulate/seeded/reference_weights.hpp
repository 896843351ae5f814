#pragma once
// The numbers of a layer as its double-precision reference reads them: whole matrices and caches by name.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/emulate/seeded/seeded_layer.hpp"
#include "kernels/reference/reference.hpp"

namespace waferline::kernels::emulate {

/// A matrix with its inputs in the order of the vector, not of the PEs.
reference::Matrix whole_matrix(const PanelMatrix& matrix);

/// W x and |W| |x|, in pieces of rows, so that no whole matrix of doubles is made.
reference::Product exact_product(const PanelMatrix& matrix, std::span<const double> x);

class ReferenceWeights {
 public:
  explicit ReferenceWeights(const SeededLayer& layer) : layer_(&layer) {}

  bool has(std::string_view name) const { return id(name) != kNoTensor; }
  /// Matrix `index` (expert or head) of the tensor; `occurrence` counts tensors of one name, -1 is the last.
  reference::Matrix matrix(std::string_view name, std::int64_t index = 0, int occurrence = 0) const;
  /// That matrix times a vector.
  std::vector<double> times(std::string_view name, std::span<const double> x, std::int64_t index = 0,
                            int occurrence = 0) const;
  std::vector<double> vector(std::string_view name, int occurrence = 0) const;
  /// The vector that follows a tensor, if it has that name; else empty.
  std::vector<double> vector_after(std::string_view name, int occurrence, std::string_view follower) const;
  /// One expert's piece of a vector that holds all of them.
  std::vector<double> expert_vector(std::string_view name, std::int64_t expert) const;
  /// Elements [first, first + width) of every position in a sequence's cache, oldest first.
  reference::Matrix cache(std::string_view name, std::int64_t copy, std::int64_t first, std::int64_t width) const;
  /// Positions that a cache keeps.
  std::int64_t positions(std::string_view name) const;
  /// A sequence's state: (along x, along y).
  reference::Matrix state(std::string_view name, std::int64_t copy, int occurrence = 0) const;

  double scale() const;
  double epsilon() const { return static_cast<double>(layer_->spec().norm_epsilon); }
  std::vector<double> rotated(std::span<const double> x) const;
  const models::Layer& layer() const { return layer_->spec().layer; }

 private:
  TensorId id(std::string_view name, int occurrence = 0) const;
  const Tensor& tensor(TensorId id) const { return layer_->schedule().tensors[static_cast<std::size_t>(id)]; }

  const SeededLayer* layer_;
};

// recurrent_reference.cpp: one token of one sequence through a mixer with a recurrent state.
std::vector<double> gated_delta_net(const ReferenceWeights& w, const models::Mixer& m, std::int64_t copy,
                                    const std::vector<double>& hidden);
std::vector<double> lightning(const ReferenceWeights& w, const models::Mixer& m, std::int64_t copy,
                              const std::vector<double>& hidden);
std::vector<double> mamba1(const ReferenceWeights& w, const models::Mixer& m, std::int64_t copy,
                           const std::vector<double>& hidden);
std::vector<double> mamba2(const ReferenceWeights& w, const models::Mixer& m, std::int64_t copy,
                           const std::vector<double>& hidden);

}  // namespace waferline::kernels::emulate
