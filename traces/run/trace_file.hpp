#pragma once
// The HDF5 file of a run: docs/traces.md, schema 1.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "traces/run/hdf5_writer.hpp"
#include "traces/run/run_trace.hpp"

namespace waferline::traces {

/// Appends as the run goes. What all PEs did in a step is kept once, so that a long run takes little: a step that did
/// on every PE what an earlier one did names the same row (layers differ in their numbers, rarely in their counts).
class TraceFile : public TraceSink {
 public:
  /// Errors: ConfigError, see Hdf5Writer.
  TraceFile(const std::filesystem::path& target, const TraceOrigin& origin);
  void write(const TracedStep& step) override;
  void finish() override;

 private:
  /// Names in order of their first use.
  struct Names {
    std::vector<std::string> names;
    std::int64_t index_of(std::string_view name);
  };
  struct Mesh {
    Extent extent;
    std::vector<std::size_t> datasets;                                     ///< busy cycles, then each PeField
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> rows;  ///< by fingerprint of the content
  };
  std::int64_t mesh_of(Extent extent);
  std::int64_t row_of(Mesh& mesh, const TracedStep& step);

  Hdf5Writer file_;
  std::vector<Mesh> meshes_;
  Names regions_;
  Names labels_;
  Names parts_;
  Names kinds_;
  std::map<std::string, std::size_t> columns_;
  std::int64_t passes_ = 0;
};

/// Columns of /steps that hold whole numbers, in the order of the schema.
std::vector<std::string> integer_columns();

}  // namespace waferline::traces
