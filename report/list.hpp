#pragma once
// What Waferline knows by name, as tables and as JSON.

#include <string>
#include <vector>

#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "report/page.hpp"
#include "traces/published_speeds.hpp"

namespace waferline::report {

Lines wafers_text(const std::vector<Wafer>& wafers, const Page& page);
std::string wafers_json(const std::vector<Wafer>& wafers);

Lines software_text(const std::vector<SoftwareProfile>& profiles, const Page& page);
std::string software_json(const std::vector<SoftwareProfile>& profiles);

Lines gpus_text(const std::vector<Gpu>& gpus, const Page& page);
std::string gpus_json(const std::vector<Gpu>& gpus);

Lines engines_text(const std::vector<GpuEngine>& engines, const Page& page);
std::string engines_json(const std::vector<GpuEngine>& engines);

Lines speeds_text(const std::vector<traces::PublishedSpeed>& speeds, const Page& page);
std::string speeds_json(const std::vector<traces::PublishedSpeed>& speeds);

}  // namespace waferline::report
