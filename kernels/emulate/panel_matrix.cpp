#include "kernels/emulate/panel_matrix.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <cstring>

#include "arch/error.hpp"
#include "kernels/numerics/block_scaled.hpp"
#include "kernels/numerics/storage.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kLanes = simd::kPanelOutputs;

simd::PanelFormat panel_format(DType stored) {
  switch (stored) {
    case DType::fp32:
      return simd::PanelFormat::fp32;
    case DType::fp16:
    case DType::fp8_e4m3:  // every e4m3 number is a binary16 number
      return simd::PanelFormat::fp16;
    case DType::bf16:
      return simd::PanelFormat::bf16;
    case DType::int8:
    case DType::int4:
      return simd::PanelFormat::scaled_int8;
    default:
      throw ConfigError(fmt::format("emulate: weights in {} are not emulated (fp32, fp16, bf16, fp8_e4m3, int8, int4)",
                                    name(stored)));
  }
}

std::int64_t element_bytes(simd::PanelFormat format) {
  return format == simd::PanelFormat::fp32 ? 4 : format == simd::PanelFormat::scaled_int8 ? 1 : 2;
}

ScaledBlock block_at(const RawMatrix& source, std::int64_t row, std::int64_t block) {
  const std::uint8_t* at = source.bytes.data() + row * row_bytes(source.format, source.cols);
  if (source.format == RawMatrix::Format::q8_0) {
    return unpack_q8(std::span<const std::uint8_t, kQ8BlockBytes>(at + block * kQ8BlockBytes, kQ8BlockBytes));
  }
  return unpack_q4(std::span<const std::uint8_t, kQ4BlockBytes>(at + block * kQ4BlockBytes, kQ4BlockBytes));
}

bool is_blocked(RawMatrix::Format format) {
  return format == RawMatrix::Format::q8_0 || format == RawMatrix::Format::q4_0;
}

/// The sum of four uniform numbers in [-1, 1) has variance 4 / 3; close enough to normal, and exact in any order.
float seeded_scale(std::int64_t inputs) {
  return std::sqrt(0.75F / static_cast<float>(inputs));
}

float largest_code(DType stored) {
  return stored == DType::int4 ? 8.0F : 128.0F;
}

/// Counter-based random bits (splitmix64 finaliser), so that any element can be made by any thread.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

}  // namespace

std::int64_t row_bytes(RawMatrix::Format format, std::int64_t cols) {
  if (is_blocked(format) && cols % kBlockElements != 0) {
    throw ConfigError(fmt::format("weights: rows of {} do not divide into blocks of {}", cols, kBlockElements));
  }
  switch (format) {
    case RawMatrix::Format::fp32:
      return cols * 4;
    case RawMatrix::Format::fp16:
    case RawMatrix::Format::bf16:
      return cols * 2;
    case RawMatrix::Format::fp8_e4m3:
      return cols;
    case RawMatrix::Format::q8_0:
      return cols / kBlockElements * kQ8BlockBytes;
    case RawMatrix::Format::q4_0:
      return cols / kBlockElements * kQ4BlockBytes;
  }
  return 0;
}

void RawMatrix::read_row(std::int64_t row, std::span<float> out) const {
  const std::uint8_t* at = bytes.data() + row * row_bytes(format, cols);
  if (is_blocked(format)) {
    for (std::int64_t block = 0; block < cols / kBlockElements; ++block) {
      const auto values = dequantise(block_at(*this, row, block));
      std::copy(values.begin(), values.end(), out.begin() + block * kBlockElements);
    }
    return;
  }
  for (std::int64_t i = 0; i < cols; ++i) {
    float& value = out[static_cast<std::size_t>(i)];
    std::uint16_t code = 0;
    if (format == Format::fp32) std::memcpy(&value, at + i * 4, 4);
    if (format == Format::fp16 || format == Format::bf16) std::memcpy(&code, at + i * 2, 2);
    if (format == Format::fp16) value = fp32_from_fp16(code);
    if (format == Format::bf16) value = fp32_from_bf16(code);
    if (format == Format::fp8_e4m3) value = fp32_from_fp8_e4m3(at[i]);
  }
}

InputOrder::InputOrder(const Bands& bands) {
  bounds.push_back(0);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    const Range heads = bands.heads_at(part);
    const Range dims = bands.dims_at(part);
    for (std::int64_t vector = heads.begin * bands.group; vector < heads.end() * bands.group; ++vector) {
      for (std::int64_t dim = dims.begin; dim < dims.end(); ++dim) global.push_back(vector * bands.head_dim + dim);
    }
    bounds.push_back(static_cast<std::int64_t>(global.size()));
  }
}

InputOrder::InputOrder(const Bands& bands, std::int64_t head) {
  bounds.push_back(0);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    const Range heads = bands.heads_at(part);
    const Range dims = bands.dims_at(part);
    const bool holds = head >= heads.begin && head < heads.end();
    for (std::int64_t dim = dims.begin; holds && dim < dims.end(); ++dim) global.push_back(dim);
    bounds.push_back(static_cast<std::int64_t>(global.size()));
  }
}

void PanelMatrix::allocate() {
  format_ = panel_format(stored_);
  elements_ = HostBytes(panels() * panel_bytes());
  if (format_ != simd::PanelFormat::scaled_int8) return;
  scale_blocks_ = ceil_div(inputs(), kBlockElements);
  scales_.assign(static_cast<std::size_t>(panels() * scale_blocks_ * kLanes), 0);
  for (const std::int64_t input : order_.global)
    scale_rows_.push_back(static_cast<std::int32_t>(input / kBlockElements));
}

std::int64_t PanelMatrix::panel_bytes() const {
  return inputs() * kLanes * element_bytes(format_);
}

simd::Panel PanelMatrix::panel(std::int64_t index) const {
  return {format_, elements_.data() + index * panel_bytes(),
          scales_.empty() ? nullptr : scales_.data() + index * scale_blocks_ * kLanes, scale_rows_.data()};
}

void PanelMatrix::set(std::int64_t output, std::int64_t position, float value) {
  store(elements_.data() + (output / kLanes) * panel_bytes() +
            (position * kLanes + output % kLanes) * element_bytes(format_),
        value);
}

void PanelMatrix::store(std::uint8_t* at, float value) const {
  if (format_ == simd::PanelFormat::fp32) return static_cast<void>(std::memcpy(at, &value, 4));
  std::uint16_t code = 0;
  if (stored_ == DType::fp16) code = fp16_from_fp32(value);
  if (stored_ == DType::bf16) code = bf16_from_fp32(value);
  if (stored_ == DType::fp8_e4m3) code = fp16_from_fp32(fp32_from_fp8_e4m3(fp8_e4m3_from_fp32(value)));
  std::memcpy(at, &code, 2);
}

void PanelMatrix::set_scaled_row(std::int64_t output, const RawMatrix& source, std::int64_t source_row,
                                 std::span<const float> row) {
  const bool codes_fit = (source.format == RawMatrix::Format::q8_0 && stored_ == DType::int8) ||
                         (source.format == RawMatrix::Format::q4_0 && stored_ == DType::int4);
  std::vector<ScaledBlock> blocks;
  for (std::int64_t b = 0; b < scale_blocks_; ++b) {
    if (codes_fit) {
      blocks.push_back(block_at(source, source_row, b));
    } else {
      std::array<float, kBlockElements> values{};
      const std::int64_t count = std::min(kBlockElements, source.cols - b * kBlockElements);
      std::copy_n(row.begin() + b * kBlockElements, count, values.begin());
      blocks.push_back(stored_ == DType::int8 ? quantise_q8(values) : quantise_q4(values));
    }
    scales_[static_cast<std::size_t>(((output / kLanes) * scale_blocks_ + b) * kLanes + output % kLanes)] =
        blocks.back().scale;
  }
  std::uint8_t* panel = elements_.data() + (output / kLanes) * panel_bytes();
  for (std::int64_t position = 0; position < inputs(); ++position) {
    const std::int64_t input = order_.global[static_cast<std::size_t>(position)];
    panel[position * kLanes + output % kLanes] =
        static_cast<std::uint8_t>(blocks[static_cast<std::size_t>(input / kBlockElements)]
                                      .code[static_cast<std::size_t>(input % kBlockElements)]);
  }
}

PanelMatrix::PanelMatrix(const RawMatrix& source, DType stored, const Bands& inputs,
                         const std::function<std::int64_t(std::int64_t)>& row_of)
    : stored_(stored), outputs_(source.rows), order_(inputs) {
  if (source.cols != inputs.elements()) {
    throw ConfigError(fmt::format("weights: a matrix of {} x {} where {} inputs arrive", source.rows, source.cols,
                                  inputs.elements()));
  }
  allocate();
  std::vector<float> row(static_cast<std::size_t>(source.cols));
  for (std::int64_t output = 0; output < outputs_; ++output) {
    const std::int64_t source_row = row_of ? row_of(output) : output;
    source.read_row(source_row, row);
    if (format_ == simd::PanelFormat::scaled_int8) {
      set_scaled_row(output, source, source_row, row);
      continue;
    }
    for (std::int64_t position = 0; position < this->inputs(); ++position) {
      set(output, position, row[static_cast<std::size_t>(order_.global[static_cast<std::size_t>(position)])]);
    }
  }
}

PanelMatrix::PanelMatrix(std::span<const float> column, std::int64_t owner, std::int64_t pes)
    : stored_(DType::fp32), outputs_(static_cast<std::int64_t>(column.size())), order_({pes, 1, pes}, owner) {
  allocate();
  for (std::int64_t output = 0; output < outputs_; ++output) set(output, 0, column[static_cast<std::size_t>(output)]);
}

PanelMatrix::PanelMatrix(std::uint64_t seed, std::int64_t outputs, DType stored, InputOrder inputs, int threads)
    : stored_(stored), outputs_(outputs), order_(std::move(inputs)) {
  allocate();
  if (format_ == simd::PanelFormat::scaled_int8) {
    std::fill(scales_.begin(), scales_.end(), fp16_from_fp32(2 * seeded_scale(this->inputs()) / largest_code(stored_)));
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t panel = 0; panel < panels(); ++panel) seed_panel(seed, panel);
}

void PanelMatrix::seed_panel(std::uint64_t seed, std::int64_t panel) {
  const std::int64_t first = panel * kLanes;
  const std::int64_t count = std::min(kLanes, outputs_ - first);
  const bool scaled = format_ == simd::PanelFormat::scaled_int8;
  const float scale = seeded_scale(inputs());
  std::uint8_t* row = elements_.data() + panel * panel_bytes();
  std::array<float, kLanes> sums{};
  for (std::int64_t position = 0; position < inputs(); ++position, row += kLanes * element_bytes(format_)) {
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>((first + lane) * inputs() + position));
      float sum = 0;
      for (unsigned i = 0; i < 4; ++i) sum += static_cast<float>((bits >> (16 * i)) & 0xFFFFU) * 0x1p-15F - 1.0F;
      sums[static_cast<std::size_t>(lane)] = sum;
    }
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const float sum = sums[static_cast<std::size_t>(lane)];
      if (scaled) {
        row[lane] = static_cast<std::uint8_t>(
            static_cast<std::int8_t>(std::lround(sum * largest_code(stored_) / 4.0F * 0.99F)));
      } else {
        store(row + lane * element_bytes(format_), sum * scale);
      }
    }
  }
}

float PanelMatrix::at(std::int64_t output, std::int64_t position) const {
  const simd::Panel in = panel(output / kLanes);
  const std::int64_t index = position * kLanes + output % kLanes;
  switch (format_) {
    case simd::PanelFormat::fp32:
      return static_cast<const float*>(in.elements)[index];
    case simd::PanelFormat::fp16:
      return fp32_from_fp16(static_cast<const std::uint16_t*>(in.elements)[index]);
    case simd::PanelFormat::bf16:
      return fp32_from_bf16(static_cast<const std::uint16_t*>(in.elements)[index]);
    case simd::PanelFormat::scaled_int8:
      break;
  }
  const std::int64_t block = in.scale_rows[position];
  return fp32_from_fp16(in.scales[block * kLanes + output % kLanes]) *
         static_cast<float>(static_cast<const std::int8_t*>(in.elements)[index]);
}

}  // namespace waferline::kernels::emulate
