#pragma once
// Published times of decode and prefill kernels on wafers, as rows that the estimate predicts.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "estimate/calibrate_wafer.hpp"
#include "estimate/least_squares.hpp"
#include "traces/validate.hpp"

namespace waferline::traces {

/// One figure of WaferLLM's kernels on a square region.
struct WaferLlmRow {
  std::string id;
  std::string model;  ///< name in the library
  std::int64_t pes_per_side = 0;
  std::int64_t tokens = 0;  ///< cached tokens of a decode step, or of the prompt
  bool in_cycles = false;   ///< cycles of a layer; else tokens per second of all layers at 1.1 GHz
  double measured = 0;
};

/// One figure of the public WSE-3 engine.
struct WaferEngineRow {
  enum class What : std::uint8_t { token, base, slope, stage };
  std::string id;
  What what = What::token;
  std::int64_t context_tokens = 0;
  double measured_us = 0;
};

struct WaferLlmRows {
  std::vector<WaferLlmRow> decode;
  std::vector<WaferLlmRow> prefill;
  std::vector<WaferEngineRow> engine;
  std::vector<SkippedRow> skipped;
};

/// Reads a file with the columns of `waferllm_measured.csv`. Rows of other machines, ports and quantities are named
/// with the reason. Errors: ConfigError for a file that cannot be read, lacks a column or holds a malformed row.
WaferLlmRows read_waferllm_rows(const std::filesystem::path& file);

/// Clock at which the launch scripts turned cycles into tokens per second.
inline constexpr double kWaferLlmClockHz = 1.1e9;
/// Clock at which the engine's counter was turned into microseconds.
inline constexpr double kWaferEngineClockHz = 0.85e9;

/// A decode row as a fit takes it, in its own unit: the released kernel (one head as wide as the model, K and V of full
/// width), one layer, WSE-2.
estimate::WaferFitRow decode_fit_row(const WaferLlmRow& row);

/// An engine row as a fit takes it, in microseconds (slope: microseconds a cached token): Qwen3 1.7B on WSE-3 in 8
/// stages of 256 x 256 PEs with 2, 4, 4, 4, 4, 4, 4 and 2 layers; embedding with the first, head with the last.
estimate::WaferFitRow engine_fit_row(const WaferEngineRow& row);

/// Overheads of an instruction and of a rotation in the prefill kernel (F30), fitted on the project's own cycle rows.
LinearFit fit_waferllm_prefill();

}  // namespace waferline::traces
