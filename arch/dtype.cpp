#include "arch/dtype.hpp"

#include <array>

namespace waferline {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  int bits;
};

constexpr std::array<Row, 9> kRows{{{DType::fp32, "fp32", 32},
                                    {DType::fp16, "fp16", 16},
                                    {DType::bf16, "bf16", 16},
                                    {DType::fp8_e4m3, "fp8_e4m3", 8},
                                    {DType::int8, "int8", 8},
                                    {DType::int4, "int4", 4},
                                    {DType::fp4_e2m1, "fp4_e2m1", 4},
                                    {DType::mxfp4, "mxfp4", 4},
                                    {DType::nvfp4, "nvfp4", 4}}};

}  // namespace

int bits_per_element(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)].bits;
}

std::string_view name(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)].name;
}

std::optional<DType> dtype_from_name(std::string_view text) {
  for (const Row& row : kRows) {
    if (row.name == text) return row.dtype;
  }
  return std::nullopt;
}

Bytes packed_bytes(DType dtype, std::int64_t elements) {
  return Bytes{ceil_div(elements * bits_per_element(dtype), 8)};
}

}  // namespace waferline
