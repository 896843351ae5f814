#pragma once
// `waferline emulate model`.

#include <cstdint>
#include <optional>
#include <string>

#include "arch/dtype.hpp"
#include "arch/region.hpp"
#include "cli/command.hpp"
#include "cli/recording.hpp"

namespace waferline::cli {

/// What the user asked for; defaults are shown in the help.
struct EmulateModelRequest {
  std::optional<std::string> weights;
  std::optional<std::string> model;
  std::int64_t seed = 1;
  std::optional<std::string> prompt_ids;
  std::int64_t tokens = 32;
  std::string mesh = "8x8";
  std::optional<std::int64_t> threads;
  std::string dtype = "fp32";
  std::optional<std::string> accumulate;
  std::optional<std::int64_t> stop_token;
  std::optional<std::int64_t> layers;
  std::string system = "wse2";
  std::string software = "waferllm";
  std::optional<std::int64_t> sram_bytes;
  RecordingRequest recording;
  bool tokens_to_stdout = true;
};

Answer emulate_model(const EmulateModelRequest& request, const report::Page& page, Progress& progress);

/// Errors: ConfigError unless fp32 or fp16.
DType parse_sum_type(const char* flag, const std::string& text);

/// "8x8" is 8 rows and 8 columns. Errors: ConfigError.
Extent parse_mesh(const std::string& text);

}  // namespace waferline::cli
