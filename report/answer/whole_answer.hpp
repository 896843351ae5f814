#pragma once
// A whole answer beside an estimate: TTFT, end to end, speculation, cost.

#include <optional>
#include <string>
#include <vector>

#include "estimate/answer/answer_cost.hpp"
#include "estimate/answer/answer_time.hpp"
#include "estimate/answer/speculation_wafer.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// The same answer on GPUs, or why there is none.
struct GpuAnswerTime {
  std::string system;
  std::optional<estimate::AnswerTime> time;
  std::string problem;
};

/// What was asked for; all else is empty.
struct WholeAnswer {
  std::optional<estimate::AnswerTime> time;
  std::string prefill_where;  ///< "on the same wafers", or where and over which link
  std::vector<GpuAnswerTime> gpus;
  std::optional<estimate::SpeculationAnswer> speculation;
  std::optional<estimate::AnswerCost> cost;

  bool empty() const { return !time && !speculation; }
};

/// Sections with their headings, each after an empty line.
Lines whole_answer_text(const WholeAnswer& answer, const Page& page);

/// The same as sections of the estimate's page; nothing if nothing was asked for.
std::string whole_answer_sections(const WholeAnswer& answer);

}  // namespace waferline::report
