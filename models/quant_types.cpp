// Follows: OCP Microscaling Formats v1.0 (mxfp4: 32 values, one E8M0 scale); NVIDIA NVFP4 (16 values, one E4M3 scale,
// one fp32 scale a tensor); DeepSeek-V3 (arXiv 2412.19437, section 3.3: one fp32 scale per 128 x 128 block).
#include "models/quant_types.hpp"

namespace waferline::models {

StoredType fp8_blocks(std::int64_t rows, std::int64_t cols) {
  return {DType::fp8_e4m3, rows, cols, 32, 0};
}

StoredType fp8_tensor(int tensor_scales) {
  return {DType::fp8_e4m3, 0, 0, 0, tensor_scales};
}

StoredType nvfp4(int tensor_scales) {
  return {DType::nvfp4, 1, 16, 8, tensor_scales};
}

StoredType mxfp4() {
  return {DType::mxfp4, 1, 32, 8, 0};
}

StoredType integer_groups(int bits, std::int64_t group, int scale_bits) {
  const std::int64_t cols = group < 1 ? StoredType::kWholeRow : group;
  return {bits == 8 ? DType::int8 : DType::int4, 1, cols, scale_bits, 0};
}

std::optional<StoredType> modelopt_type(std::string_view algorithm, std::optional<std::int64_t> group) {
  if (algorithm == "FP8") return fp8_tensor(2);  // weight_scale and input_scale
  if (algorithm == "NVFP4") return nvfp4(2);     // weight_scale_2 and input_scale
  if (algorithm == "W4A16_NVFP4") return nvfp4(1);
  if (algorithm == "MXFP4" || algorithm == "W4A8_MXFP4_FP8") return mxfp4();
  if (algorithm == "FP8_PB_WO" || algorithm == "FP8_PB_REAL" || algorithm == "FP8_BLOCK_SCALES")
    return fp8_blocks(128, 128);
  if (algorithm == "FP8_PER_CHANNEL_PER_TOKEN") return StoredType{DType::fp8_e4m3, 1, StoredType::kWholeRow, 32, 0};
  if (algorithm == "W4A16_AWQ" || algorithm == "W4A8_AWQ" || algorithm == "W4A16")
    return integer_groups(4, group.value_or(128), 16);
  if (algorithm == "W8A16" || algorithm == "W8A8_SQ_PER_CHANNEL") return integer_groups(8, -1, 32);
  return std::nullopt;
}

}  // namespace waferline::models
