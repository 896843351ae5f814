#pragma once
// A placement as text, JSON and drawings; two placements side by side.

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/pareto.hpp"
#include "estimate/wafer.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// Everything that `place` says.
struct PlacementAnswer {
  std::string model;
  estimate::DecodeEstimate decode;
  Wafer wafer;
  std::vector<estimate::ParetoPoint> front;  ///< only where it was asked for
  bool with_page = false;                    ///< a page is made: the document holds its numbers too
};

/// The figures beside their bounds, the pipeline, a map of the wafers, all regions.
Lines placement_text(const PlacementAnswer& answer, const Page& page);

/// Schema 1, `place`.
std::string placement_json(const PlacementAnswer& answer);

/// One self-contained page with charts. Its numbers carry their pointers into placement_json of the same answer.
/// `command` is shown as what made it. Precondition: `answer.with_page`.
std::string placement_html(const PlacementAnswer& answer, const std::string& command);

/// All wafers to scale in one SVG document: regions shaded by their first layer, what fills them on hover, how full
/// their caches are, defects.
std::string placement_svg(const PlacementAnswer& answer);

/// The front as one SVG document: users and tokens/s of all users against the time of a token. Precondition: the front
/// is not empty.
std::string pareto_svg(const PlacementAnswer& answer);

/// Each wafer as characters, a letter for each region, '.' for PEs without work, 'x' for defects; side by side as the
/// page allows.
Lines wafer_letters(const mapping::Placement& placement, const Wafer& wafer, const Page& page);

/// Two placements of one model with a name each: what changed, and the parts of the time that account for it.
Lines placement_comparison(const PlacementAnswer& a, const std::string& name_a, const PlacementAnswer& b,
                           const std::string& name_b, const Page& page);

/// Schema 1, `place --compare`: both documents, as `a` and `b`.
std::string comparison_json(const PlacementAnswer& a, const PlacementAnswer& b);

}  // namespace waferline::report
