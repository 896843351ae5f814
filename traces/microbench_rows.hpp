#pragma once
// Published cycles of collectives and of one PE: what each row ran.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/collective.hpp"
#include "kernels/pe_model.hpp"

namespace waferline::traces {

/// One published value in cycles.
struct MicrobenchRow {
  std::string id;
  double cycles = 0;
};

/// A reduction over a line of PEs.
struct ReduceRow : MicrobenchRow {
  kernels::CollectivePlan plan;
  std::int64_t pes = 0;
  std::int64_t wavelets = 0;
};

/// One vector instruction; `stated` is false if the row does not say which variant it ran, and the nearest one is
/// taken.
struct VectorRow : MicrobenchRow {
  kernels::VectorInstruction instruction;
  kernels::Timed timed = kernels::Timed::isolated;
  bool stated = true;
};

struct LoopRow : MicrobenchRow {
  kernels::LoopRun run;
};

/// Words moved between SRAM and the fabric by a microthread.
struct StreamRow : MicrobenchRow {
  std::int64_t words = 0;
};

/// A row that is none of these, and why.
struct UnreadRow {
  std::string id;
  std::string reason;
};

struct MicrobenchRows {
  std::vector<ReduceRow> reductions;
  std::vector<VectorRow> instructions;
  std::vector<LoopRow> loops;
  std::vector<StreamRow> streams;
  std::vector<UnreadRow> unread_reductions;
  std::vector<UnreadRow> unread_pe_rows;
};

/// Reads the groups `reduce`, `pe_vector`, `pe_loop` and `fabric_stream` of a file with the columns of
/// `wse_microbench.csv`. Errors: ConfigError naming file, line and column.
MicrobenchRows read_microbench_rows(const std::filesystem::path& file);

}  // namespace waferline::traces
