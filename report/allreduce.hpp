#pragma once
// A reduction on lines of PEs, timed in closed form, by sweep and wavelet by wavelet, as text and as JSON.

#include <string>

#include "kernels/fabric/allreduce_run.hpp"
#include "report/page.hpp"

namespace waferline::report {

struct AllreduceReport {
  std::string system;
  kernels::fabric::AllreduceQuestion question;
  kernels::fabric::AllreduceAnswer answer;
};

Lines allreduce_text(const AllreduceReport& report, const Page& page);

/// Schema 1, `emulate allreduce`.
std::string allreduce_json(const AllreduceReport& report);

}  // namespace waferline::report
