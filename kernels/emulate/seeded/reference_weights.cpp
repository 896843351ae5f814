#include "kernels/emulate/seeded/reference_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/error.hpp"

namespace waferline::kernels::emulate {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

reference::Matrix whole_matrix(const PanelMatrix& matrix) {
  reference::Matrix out{matrix.outputs(), matrix.inputs(), std::vector<double>(at(matrix.outputs() * matrix.inputs()))};
  for (std::int64_t row = 0; row < out.rows; ++row) {
    for (std::int64_t k = 0; k < out.cols; ++k)
      out.values[at(row * out.cols + matrix.order().global[at(k)])] = matrix.at(row, k);
  }
  return out;
}

reference::Product exact_product(const PanelMatrix& matrix, std::span<const double> x) {
  constexpr std::int64_t kRows = 256;
  reference::Product all;
  for (std::int64_t first = 0; first < matrix.outputs(); first += kRows) {
    reference::Matrix rows{std::min(kRows, matrix.outputs() - first), matrix.inputs(), {}};
    rows.values.resize(at(rows.rows * rows.cols));
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      for (std::int64_t k = 0; k < rows.cols; ++k)
        rows.values[at(row * rows.cols + matrix.order().global[at(k)])] = matrix.at(first + row, k);
    }
    const reference::Product some = reference::multiply(rows, x);
    all.values.insert(all.values.end(), some.values.begin(), some.values.end());
    all.magnitudes.insert(all.magnitudes.end(), some.magnitudes.begin(), some.magnitudes.end());
  }
  return all;
}

TensorId ReferenceWeights::id(std::string_view name, int occurrence) const {
  if (occurrence >= 0) return layer_->machine().find(name, occurrence);
  TensorId last = kNoTensor;
  for (int i = 0; layer_->machine().find(name, i) != kNoTensor; ++i) last = layer_->machine().find(name, i);
  return last;
}

reference::Matrix ReferenceWeights::matrix(std::string_view name, std::int64_t index, int occurrence) const {
  return whole_matrix(*layer_->bindings().matrices.at(id(name, occurrence)).at(at(index)));
}

std::vector<double> ReferenceWeights::times(std::string_view name, std::span<const double> x, std::int64_t index,
                                            int occurrence) const {
  return exact_product(*layer_->bindings().matrices.at(id(name, occurrence)).at(at(index)), x).values;
}

std::vector<double> ReferenceWeights::vector(std::string_view name, int occurrence) const {
  const std::vector<float>& values = *layer_->bindings().vectors.at(id(name, occurrence));
  return {values.begin(), values.end()};
}

std::vector<double> ReferenceWeights::vector_after(std::string_view name, int occurrence,
                                                   std::string_view follower) const {
  const auto next = static_cast<TensorId>(id(name, occurrence) + 1);
  if (at(next) >= layer_->schedule().tensors.size() || tensor(next).name != follower) return {};
  const std::vector<float>& values = *layer_->bindings().vectors.at(next);
  return {values.begin(), values.end()};
}

std::vector<double> ReferenceWeights::expert_vector(std::string_view name, std::int64_t expert) const {
  const TensorId found = id(name);
  const std::vector<float>& all = *layer_->bindings().vectors.at(found);
  const auto each = static_cast<std::ptrdiff_t>(all.size()) / layer().ffns.front().routed_experts;
  return {all.begin() + expert * each, all.begin() + (expert + 1) * each};
}

reference::Matrix ReferenceWeights::cache(std::string_view name, std::int64_t copy, std::int64_t first,
                                          std::int64_t width) const {
  reference::Matrix out{0, width, {}};
  for (const float* entry : layer_->bindings().caches.at(id(name))[at(copy)]->entries()) {
    out.values.insert(out.values.end(), entry + first, entry + first + width);
    ++out.rows;
  }
  return out;
}

std::int64_t ReferenceWeights::positions(std::string_view name) const {
  return tensor(id(name)).along_y.elements();
}

reference::Matrix ReferenceWeights::state(std::string_view name, std::int64_t copy, int occurrence) const {
  const TensorId found = id(name, occurrence);
  const std::int64_t xs = tensor(found).along_x.elements();
  const std::int64_t ys = tensor(found).along_y.elements();
  const std::vector<float>& all = *layer_->bindings().states.at(found);
  return {xs, ys, {all.begin() + copy * xs * ys, all.begin() + (copy + 1) * xs * ys}};
}

double ReferenceWeights::scale() const {
  return static_cast<double>(constants_of(layer(), layer_->spec().norm_epsilon).attention_scale);
}

std::vector<double> ReferenceWeights::rotated(std::span<const double> x) const {
  const Rotation& rotation = layer_->rotations().front();
  std::vector<double> angles;
  for (std::size_t pair = 0; pair < rotation.cosines.size(); ++pair)
    angles.push_back(
        std::atan2(static_cast<double>(rotation.sines[pair]), static_cast<double>(rotation.cosines[pair])));
  return reference::rotate(x, angles);
}

}  // namespace waferline::kernels::emulate
