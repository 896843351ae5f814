#pragma once
// The functions behind the table of validation sets, one file each: traces/validate_NAME.cpp.

#include <filesystem>

#include "traces/validate.hpp"

namespace waferline::traces {

ValidationSet validate_waferllm_decode(const std::filesystem::path& data_folder);
ValidationSet validate_waferllm_prefill(const std::filesystem::path& data_folder);
ValidationSet validate_reduce(const std::filesystem::path& data_folder);
ValidationSet validate_pe(const std::filesystem::path& data_folder);
ValidationSet validate_endpoints(const std::filesystem::path& data_folder);
ValidationSet validate_gpu(const std::filesystem::path& data_folder);

}  // namespace waferline::traces
