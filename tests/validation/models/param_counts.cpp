// How far from the published parameter counts: not at all, on every row that is fit to test against.
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "models/config.hpp"
#include "models/inspect.hpp"
#include "models/weights.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"
#include "traces/csv.hpp"

using namespace waferline;
using namespace waferline::models;

namespace {

std::filesystem::path config_named(std::string_view file) {
  const std::filesystem::path library = tests::source_dir() / "models" / "library" / file;
  return std::filesystem::exists(library) ? library : tests::source_dir() / "tests" / "data" / "configs" / file;
}

traces::CsvTable published() {
  return traces::read_csv_file(tests::source_dir() / "tests" / "data" / "param_counts.csv");
}

std::int64_t text_parameters(const Model& model) {
  return model.parameters.decoder + model.parameters.embedding + model.parameters.head;
}

/// Elements of the second embedding and head that prediction layers bring.
std::int64_t repeated_ends(const Model& model) {
  std::int64_t sum = 0;
  for (const Weight& weight : model.mtp_extra) {
    if (weight.rows == model.vocab_size) sum += weight.elements();
  }
  return sum;
}

/// One part that a row counts beside the text model, as the model that was read has it.
std::int64_t part(const Model& model, const std::string& name) {
  if (name == "mtp") return model.parameters.mtp - repeated_ends(model);
  if (name == "mtp_dup_embed_head") return repeated_ends(model);
  if (name == "vision_tower") return model.parameters.vision;
  if (name == "fp8_block_scales" || name == "fp8_channel_scales" || name == "mxfp4_scales")
    return model.parameters.scales;
  if (name == "attn_mask_buffers" || name == "rotary_inv_freq_buffers") return model.parameters.buffers;
  if (name == "tied_lm_head_copy") return model.vocab_size * model.hidden_size;
  if (name == "fp32_router_bias_half") return (weight_bytes(model).value - 2 * text_parameters(model)) / 2;
  FAIL("unknown part " << name);
  return 0;
}

std::int64_t parts(const Model& model, std::string names) {
  std::int64_t sum = 0;
  while (!names.empty()) {
    const std::size_t plus = names.find('+');
    sum += part(model, names.substr(0, plus));
    names = plus == std::string::npos ? std::string() : names.substr(plus + 1);
  }
  return sum;
}

}  // namespace

TEST_CASE("parameters match every published total that is fit to test against, part by part") {
  const traces::CsvTable table = published();
  REQUIRE(table.size() >= 95);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const traces::CsvRow row = table.row(i);
    INFO(row.text("model") << " from " << row.text("config"));
    const Model model = read_config_file(config_named(row.text("config")));
    CHECK(text_parameters(model) == row.integer("text_parameters", {1, kMostParameters}));
    CHECK(text_parameters(model) + parts(model, std::string(row.text("beside_the_decoder"))) ==
          row.integer("stored_parameters", {1, kMostParameters}));
  }
}

TEST_CASE("the total of every configuration is one of the totals published for it") {
  const traces::CsvTable table = published();
  std::map<std::string, std::set<std::int64_t>> totals;
  for (std::size_t i = 0; i < table.size(); ++i) {
    totals[std::string(table.row(i).text("config"))].insert(
        table.row(i).integer("stored_parameters", {1, kMostParameters}));
  }
  totals.erase("gemma-4-31b-nvfp4.json");  // the rows are about bf16 and 4-bit bitsandbytes copies of it
  for (const auto& [config, published_totals] : totals) {
    INFO(config);
    CHECK(published_totals.count(read_config_file(config_named(config)).parameters.total()) == 1);
  }
}

TEST_CASE("gpt-oss-120b takes exactly the published bytes") {
  const Model model = read_config_file(config_named("gpt-oss-120b.json"));
  CHECK(weight_bytes(model) == Bytes{65'248'815'744});
  CHECK(model.parameters.scales == 114'661'785'600 / 32);
}

TEST_CASE("GLM-5 in bf16 takes exactly the published bytes, router biases in fp32 included") {
  CHECK(weight_bytes(read_config_file(config_named("glm-5.json"))) == Bytes{1'487'822'475'264});
}
