// Cache and state against the derived table of the reference data, and parses against another engine's own
// expectations.
#include <map>
#include <set>
#include <string>

#include "arch/error.hpp"
#include "models/config.hpp"
#include "models/kv.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"
#include "traces/csv.hpp"

using namespace waferline;
using namespace waferline::models;

namespace {

/// Rows of kv_state.csv that are not taken over, and why.
const std::map<std::string, std::string> kNotTaken{
    {"bigcode/starcoder2-7b", "its window of 4096 is left out there, yet the model is trained and served with it"},
    {"deepseek-ai/DeepSeek-V3-inference-config_236B", "its latent cache is taken for one of full heads there"},
    {"deepseek-ai/DeepSeek-V3-inference-config_671B", "its latent cache is taken for one of full heads there"},
    {"sgl-project/DeepSeek-V4-Pro-FP8", "its family is refused"}};

std::string windows(const Model& model) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> counts;
  for (const Layer& layer : model.layers) {
    for (const Mixer& mixer : layer.mixers) {
      if (is_windowed(mixer)) ++counts[{mixer.window, 2 * kv_elements_per_token(mixer)}];
    }
  }
  std::string text;
  for (const auto& [window, count] : counts) {
    text += (text.empty() ? "" : "+") + std::to_string(count) + "x" + std::to_string(window.first) + "x" +
            std::to_string(window.second) + "B";
  }
  return text;
}

std::map<std::string, std::string> files_by_model(const std::filesystem::path& reference) {
  std::map<std::string, std::string> files;
  const traces::CsvTable index = traces::read_csv_file(reference / "configs_index.csv");
  for (std::size_t i = 0; i < index.size(); ++i)
    files[std::string(index.row(i).text("model"))] = std::string(index.row(i).text("file"));
  return files;
}

}  // namespace

TEST_CASE("cache growth, windows and state agree with the derived table in every row but the listed ones") {
  WAFERLINE_REQUIRE_REFERENCE(reference);
  const auto files = files_by_model(reference);
  const traces::CsvTable table = traces::read_csv_file(reference / "kv_state.csv");
  const IntegerRange any{0, std::int64_t{1} << 60};
  int checked = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const traces::CsvRow row = table.row(i);
    const std::string name(row.text("model"));
    if (kNotTaken.count(name) > 0 || files.count(name) == 0) continue;
    INFO(name);
    const Model model = read_config_file(reference / "configs" / files.at(name));
    const KvFigures figures = kv_figures(model, 32'768, DType::bf16);
    CHECK(figures.per_token.value == row.integer("growing_bytes_per_token_bf16", any));
    CHECK(windows(model) == row.text("windowed_layers_x_window_x_bytes_per_token_bf16"));
    CHECK(figures.state_elements == row.integer("recurrent_state_elements_per_sequence", any));
    CHECK(figures.at_context.value == row.integer("kv_bytes_at_32768_bf16", any));
    ++checked;
  }
  CHECK(checked >= 120);
}

namespace {

/// Rows of the other engine's list without a configuration here under that very name: the one of the same shape, or "".
const std::map<std::string, std::string> kSameShape{
    {"deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-ai__DeepSeek-V3.2.json"},
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "RedHatAI__Llama-4-Scout-17B-16E-Instruct-FP8-dynamic.json"},
    {"XiaomiMiMo/MiMo-7B-RL", "XiaomiMiMo__MiMo-7B-Base.json"},
    {"databricks/dbrx-instruct", "mlx-community__dbrx-instruct-4bit.json"},
    {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4.json"}};

/// Refused by design: no attention at all, or attention shared between state-space layers. gpt-oss-20b has no file
/// here.
const std::set<std::string> kRefusedOrAbsent{"state-spaces/mamba-130m-hf", "mistralai/Mamba-Codestral-7B-v0.1",
                                             "tiiuae/falcon-mamba-7b-instruct", "Zyphra/Zamba2-7B-instruct",
                                             "lmsys/gpt-oss-20b-bf16"};

const Mixer* first_softmax(const Model& model) {
  for (const Layer& layer : model.layers) {
    for (const Mixer& mixer : layer.mixers) {
      if (kv_elements_per_token(mixer) > 0) return &mixer;
    }
  }
  return nullptr;
}

std::int64_t experts(const Model& model) {
  for (const Layer& layer : model.layers) {
    for (const Ffn& ffn : layer.ffns) {
      if (ffn.kind == FfnKind::moe) return ffn.routed_experts;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("layers, heads, cached sizes and experts are parsed as vLLM expects them") {
  WAFERLINE_REQUIRE_REFERENCE(reference);
  const auto files = files_by_model(reference);
  const traces::CsvTable table = traces::read_csv_file(reference / "vllm_arch_groundtruth.csv");
  const IntegerRange any{0, std::int64_t{1} << 40};
  int checked = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const traces::CsvRow row = table.row(i);
    const std::string name(row.text("model"));
    INFO(name);
    if (kRefusedOrAbsent.count(name) > 0) continue;
    const std::string file = kSameShape.count(name) > 0 ? kSameShape.at(name) : files.at(name);
    const Model model = read_config_file(reference / "configs" / file);
    const Mixer* mixer = first_softmax(model);
    REQUIRE(mixer != nullptr);
    const bool latent = mixer->kind == MixerKind::mla;
    CHECK(model.hidden_size == row.integer("hidden_size", any));
    CHECK(static_cast<std::int64_t>(model.layers.size()) == row.integer("num_hidden_layers", any));
    CHECK(mixer->heads == row.integer("num_attention_heads", any));
    CHECK(model.vocab_size == row.integer("vocab_size", any));
    if (name !=
        "databricks/dbrx-instruct") {  // its 16 experts stand in ffn_config, which vLLM's converter does not count
      CHECK(experts(model) == row.integer("num_experts", any));
    }
    CHECK(latent == (row.text("is_deepseek_mla") == "1"));
    CHECK((latent ? kv_elements_per_token(*mixer) : mixer->head_dim) == row.integer("head_size_as_cached", any));
    if (!latent && file != "nvidia__Llama-3_3-Nemotron-Super-49B-v1.json")
      CHECK(mixer->kv_heads == row.integer("num_kv_heads", any));
    ++checked;
  }
  CHECK(checked == 13);
}

TEST_CASE("state-space models without attention are refused by name") {
  for (const char* type : {"mamba", "mamba2", "falcon_mamba", "zamba2"}) {
    const std::string text = std::string("{\"model_type\": \"") + type + "\", \"hidden_size\": 64}";
    CHECK_THROWS_WITH(read_config(parse_json(text, "config.json"), "config.json"), Catch::Contains(type));
  }
}
