#pragma once
// What a sweep found, summed up by model, as text and as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/page.hpp"

namespace waferline::report {

/// A row of the sweep's file that is best at something.
struct BestRow {
  std::int64_t row = 0;  ///< from 1, the header not counted
  double tokens_per_s = 0;
};

struct SweptModel {
  std::string model;
  std::int64_t points = 0;
  std::int64_t fit = 0;
  std::optional<BestRow> fastest;  ///< for one user
  std::optional<BestRow> busiest;  ///< over all users, every stage busy
};

struct SweepSummary {
  std::string file;
  std::int64_t points = 0;
  std::int64_t continued_from = 0;  ///< rows that were there before
  std::vector<SweptModel> models;
};

Lines sweep_text(const SweepSummary& sweep, const Page& page);

/// Schema 1, `sweep`.
std::string sweep_json(const SweepSummary& sweep);

}  // namespace waferline::report
