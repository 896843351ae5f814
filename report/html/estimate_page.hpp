#pragma once
// The parts of the HTML pages of estimates and placements. For the .cpp files of report/.

#include <string>

#include "report/estimate.hpp"
#include "report/html/markup.hpp"

namespace waferline::report {

/// "wafer_to_wafer" as "wafer to wafer".
std::string spaced(std::string key);

/// "8 x h100".
std::string gpu_name(const GpuAnswer& gpu);
/// It and the wafer's name, with their places in the document.
Quoted quoted_gpu(const EstimateAnswer& answer, std::size_t gpu);
Quoted quoted_system(const EstimateAnswer& answer);

/// A time with its place in the document.
Shown shown_time(std::string key, Seconds time);
/// Tokens per second, a count, bytes.
Shown shown_rate(std::string key, double tokens_per_s);
Shown shown_count(std::string key, std::int64_t count);

/// Points into /breakdown_s, /tpot_s and /page/breakdown_share.
std::string breakdown_section(const estimate::DecodeEstimate& decode);
std::string bounds_section(const EstimateAnswer& answer);
/// The bounds as lines above the estimate, against users and against context.
std::string roofline_part(const EstimateAnswer& answer);
std::string gpu_section(const EstimateAnswer& answer);
std::string series_section(const EstimateAnswer& answer);
std::string placement_section(const EstimateAnswer& answer);
std::string published_section(const EstimateAnswer& answer);
std::string sensitivity_section(const EstimateAnswer& answer);
/// Points into /assumptions and /notes.
std::string assumptions_section(const std::vector<estimate::Assumption>& assumptions,
                                const std::vector<std::string>& notes);

}  // namespace waferline::report
