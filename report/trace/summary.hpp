#pragma once
// What a trace says, as text, as JSON and as a drawing.

#include <string>

#include "report/page.hpp"
#include "traces/run/trace_summary.hpp"

namespace waferline::report {

/// What a map shows for each PE.
enum class TraceMap : std::uint8_t {
  busy,      ///< busy cycles
  macs,      ///< multiply-accumulates
  wavelets,  ///< wavelets through its ramp, both ways
  links      ///< wavelets on its four outgoing links
};

/// Summary with a map of every mesh.
Lines trace_text(const traces::TraceSummary& summary, TraceMap map, const Page& page);

/// Schema 1, `trace`.
std::string trace_json(const traces::TraceSummary& summary);

/// Drawing of the largest mesh. Needs at least one.
std::string trace_svg(const traces::TraceSummary& summary, TraceMap map);

}  // namespace waferline::report
