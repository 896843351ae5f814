#pragma once
// How a tensor's elements lie for sums over a vector.

#include "kernels/schedule.hpp"

namespace waferline::kernels::emulate {

/// The axis along which a vector is dealt out.
inline Axis axis_of(const Tensor& tensor) {
  if (tensor.along_x.elements() != tensor.along_y.elements()) {
    return tensor.along_x.elements() > tensor.along_y.elements() ? Axis::x : Axis::y;
  }
  return tensor.along_x.whole ? Axis::y : Axis::x;
}

}  // namespace waferline::kernels::emulate
