#pragma once
// A weight matrix in the host's memory: panels of 64 outputs, in each panel one input after the other, inputs in the
// order in which the PEs of the line hold them. One sweep over a panel is then one stream, and every PE's block is a
// run of it.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "kernels/emulate/host_bytes.hpp"
#include "kernels/numerics/simd.hpp"
#include "kernels/partition.hpp"

namespace waferline::kernels::emulate {

/// A row-major (rows, cols) matrix as a checkpoint stores it.
struct RawMatrix {
  enum class Format : std::uint8_t { fp32, fp16, bf16, fp8_e4m3, q8_0, q4_0 };
  Format format = Format::fp32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::uint8_t> bytes;

  /// Row `row` as numbers.
  void read_row(std::int64_t row, std::span<float> out) const;
};

/// Bytes of one row. Errors: ConfigError if blocks do not divide it.
std::int64_t row_bytes(RawMatrix::Format format, std::int64_t cols);

/// Which elements of a vector the PEs of a line hold, one PE after the other.
struct InputOrder {
  explicit InputOrder(const Bands& bands);
  /// Of one head alone, by its own dimensions: the other bands' PEs hold nothing.
  InputOrder(const Bands& bands, std::int64_t head);
  std::vector<std::int64_t> global;  ///< index of each input in the vector
  std::vector<std::int64_t> bounds;  ///< PE p holds [bounds[p], bounds[p + 1]) of `global`
};

/// Aligned storage of one matrix.
class PanelMatrix {
 public:
  /// Converts `source` to `stored` (fp32, fp16, bf16, fp8_e4m3, int8 or int4). `row_of` maps an output to a row of the
  /// source (rotary pairs); empty: itself. int8 and int4 take over Q8_0 and Q4_0 codes, or quantise in blocks of 32
  /// inputs.
  PanelMatrix(const RawMatrix& source, DType stored, const Bands& inputs,
              const std::function<std::int64_t(std::int64_t)>& row_of = {});

  /// Seeded normal numbers of standard deviation 1 / sqrt(inputs), the same for any thread count.
  PanelMatrix(std::uint64_t seed, std::int64_t outputs, DType stored, const Bands& inputs, int threads)
      : PanelMatrix(seed, outputs, stored, InputOrder(inputs), threads) {}
  PanelMatrix(std::uint64_t seed, std::int64_t outputs, DType stored, InputOrder inputs, int threads);

  /// One column of fp32, that of PE `owner` in a line of `pes`.
  PanelMatrix(std::span<const float> column, std::int64_t owner, std::int64_t pes);

  std::int64_t outputs() const { return outputs_; }
  std::int64_t inputs() const { return static_cast<std::int64_t>(order_.global.size()); }
  std::int64_t panels() const { return (outputs_ + simd::kPanelOutputs - 1) / simd::kPanelOutputs; }
  const InputOrder& order() const { return order_; }
  DType stored() const { return stored_; }
  simd::Panel panel(std::int64_t index) const;
  /// Bytes that one sweep reads.
  std::int64_t host_bytes() const { return elements_.size() + static_cast<std::int64_t>(scales_.size()) * 2; }
  /// Value of one element, by output and position in the input order.
  float at(std::int64_t output, std::int64_t position) const;

 private:
  void allocate();
  void set(std::int64_t output, std::int64_t position, float value);
  void store(std::uint8_t* at, float value) const;
  void seed_panel(std::uint64_t seed, std::int64_t panel);
  void set_scaled_row(std::int64_t output, const RawMatrix& source, std::int64_t source_row,
                      std::span<const float> row);
  std::int64_t panel_bytes() const;

  DType stored_;
  std::int64_t outputs_ = 0;
  InputOrder order_;
  simd::PanelFormat format_ = simd::PanelFormat::fp16;
  std::int64_t scale_blocks_ = 0;
  HostBytes elements_;
  std::vector<std::uint16_t> scales_;
  std::vector<std::int32_t> scale_rows_;
};

}  // namespace waferline::kernels::emulate
