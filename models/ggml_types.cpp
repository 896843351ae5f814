// Follows: the block layouts of ggml (ggml-common.h), in elements and bytes per block.
#include "models/ggml_types.hpp"

#include <array>

namespace waferline::models {
namespace {

constexpr std::array<GgmlType, 32> kTypes{
    {{0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
     {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
     {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
     {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
     {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
     {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
     {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
     {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17}}};

}  // namespace

std::optional<GgmlType> ggml_type(std::uint32_t id) {
  for (const GgmlType& type : kTypes) {
    if (type.id == id) return type;
  }
  return std::nullopt;
}

std::optional<GgmlType> ggml_type(std::string_view name) {
  for (const GgmlType& type : kTypes) {
    if (type.name == name) return type;
  }
  return std::nullopt;
}

StoredType stored_as(const GgmlType& type) {
  if (type.name == "F32") return {.dtype = DType::fp32};
  if (type.name == "F16") return {.dtype = DType::fp16};
  if (type.name == "BF16") return {.dtype = DType::bf16};
  if (type.name == "MXFP4") return {DType::mxfp4, 1, 32, 8, 0};
  const int bits = type.block_bytes * 8;
  const bool eight = bits >= 8 * type.block;
  const int value_bits = (eight ? 8 : 4) * type.block;
  if (bits < value_bits)
    return {DType::int4, 1, type.block, bits - value_bits, 0};  // below 4 bits: the block gives bits back
  return {eight ? DType::int8 : DType::int4, 1, type.block, bits - value_bits, 0};
}

}  // namespace waferline::models
