#include "mapping/plan_file.hpp"

#include <fmt/format.h>

#include "arch/config_node.hpp"
#include "arch/object_reader.hpp"

namespace waferline::mapping {
namespace {

constexpr IntegerRange kWafers{0, 99'999};
constexpr IntegerRange kLines{0, 99'999};
constexpr IntegerRange kSides{1, 100'000};
constexpr IntegerRange kLayers{0, 99'999};
constexpr IntegerRange kForms{1, 100'000};
constexpr std::size_t kMostRegions = 100'000;

PlannedRegion read_region(const ConfigNode& node, Problems& problems, const std::string& path) {
  ObjectReader reader(node, problems, path);
  PlannedRegion region;
  const std::string use = reader.one_of("use", {"embedding", "layers", "head"});
  region.use = use == "embedding" ? RegionUse::embedding : use == "head" ? RegionUse::head : RegionUse::layers;
  region.region.wafer = reader.integer("wafer", kWafers);
  region.region.row = reader.integer("row", kLines);
  region.region.col = reader.integer("col", kLines);
  region.region.extent = {reader.integer("rows", kSides), reader.integer("cols", kSides)};
  region.turned = reader.optional_boolean("turned").value_or(false);
  region.expert_bands = reader.optional_integer("expert_bands", kForms).value_or(1);
  region.latent_copies = reader.optional_integer("latent_copies", kForms).value_or(1);
  if (region.use == RegionUse::layers) {
    const std::vector<std::int64_t> layers = reader.integers("layers", kLayers);
    if (layers.size() != 2 || layers[1] < layers[0]) {
      reader.problem("layers", "takes the first and the last layer, as in [4, 7]");
    } else {
      region.first_layer = layers[0];
      region.layer_count = layers[1] - layers[0] + 1;
    }
  }
  reader.reject_unknown_keys();
  return region;
}

void check_purpose(ObjectReader& reader, const char* key, const std::string& wanted) {
  const std::string given = reader.string(key);
  if (!given.empty() && given != wanted) {
    reader.problem(key, fmt::format("\"{}\", but the command places \"{}\"", given, wanted));
  }
}

}  // namespace

std::string plan_toml(const Plan& plan, const PlanPurpose& purpose) {
  std::string text = fmt::format(
      "# A placement, one region after the other in the order in which a token visits them. Rows and columns are PEs "
      "of\n"
      "# the usable rectangle; layers are the first and the last. turned: the hidden vector is split over columns.\n"
      "model = \"{}\"\nsystem = \"{}\"\n",
      purpose.model, purpose.system);
  for (const PlannedRegion& region : plan.regions) {
    text += fmt::format("\n[[region]]\nuse = \"{}\"\n", name(region.use));
    if (region.use == RegionUse::layers) {
      text += fmt::format("layers = [{}, {}]\n", region.first_layer, region.first_layer + region.layer_count - 1);
    }
    text += fmt::format("wafer = {}\nrow = {}\ncol = {}\nrows = {}\ncols = {}\n", region.region.wafer,
                        region.region.row, region.region.col, region.region.extent.rows, region.region.extent.cols);
    if (region.turned) text += "turned = true\n";
    if (region.expert_bands > 1) text += fmt::format("expert_bands = {}\n", region.expert_bands);
    if (region.latent_copies > 1) text += fmt::format("latent_copies = {}\n", region.latent_copies);
  }
  return text;
}

PlanPurpose read_purpose(std::string_view toml_text, const std::string& file_name) {
  const ConfigNode root = parse_toml(toml_text, file_name);
  Problems problems(file_name);
  ObjectReader reader(root, problems);
  PlanPurpose purpose{reader.string("model"), reader.string("system")};
  problems.throw_if_any();
  return purpose;
}

PlanFile parse_plan(std::string_view toml_text, const std::string& file_name, const PlanPurpose& purpose) {
  const ConfigNode root = parse_toml(toml_text, file_name);
  Problems problems(file_name);
  ObjectReader reader(root, problems);
  check_purpose(reader, "model", purpose.model);
  check_purpose(reader, "system", purpose.system);
  PlanFile file;
  file.file_name = file_name;
  const ConfigNode* regions = reader.node("region");
  const ConfigNode::Array* all = regions == nullptr ? nullptr : regions->array();
  if (all == nullptr) {
    reader.problem("region", "is missing: one [[region]] table for each region of the plan");
  } else if (all->size() > kMostRegions) {
    reader.problem("region", fmt::format("{} regions (permitted: up to {})", all->size(), kMostRegions));
  } else {
    for (std::size_t i = 0; i < all->size(); ++i) {
      file.plan.regions.push_back(read_region((*all)[i], problems, fmt::format("region[{}]", i)));
      file.lines.push_back((*all)[i].line());
    }
  }
  reader.reject_unknown_keys();
  problems.throw_if_any();
  return file;
}

std::string describe(const std::vector<PlanProblem>& problems, const PlanFile& file) {
  std::string text;
  for (const PlanProblem& problem : problems) {
    if (!text.empty()) text += '\n';
    if (problem.region < 0) {
      text += fmt::format("{}: {}: {}", file.file_name, problem.key, problem.what);
    } else {
      text +=
          fmt::format("{}:{}: region[{}].{}: {}", file.file_name, file.lines[static_cast<std::size_t>(problem.region)],
                      problem.region, problem.key, problem.what);
    }
  }
  return text;
}

}  // namespace waferline::mapping
