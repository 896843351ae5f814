#include "models/kv.hpp"

#include "models/library.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/models/small_configs.hpp"

using namespace waferline;
using namespace waferline::models;

TEST_CASE("Qwen3.6-27B: cache and recurrent memory as llama.cpp logs them") {
  const Model model = load_model("Qwen/Qwen3.6-27B");
  const KvFigures figures = kv_figures(model, 262'144, DType::bf16);
  CHECK(figures.at_context == Bytes{16'384LL << 20});
  CHECK(figures.per_token == Bytes{65'536});
  CHECK(figures.state_elements == 39'223'296);
  CHECK(4 * figures.state == Bytes{static_cast<std::int64_t>(598.5 * 1024 * 1024)});
}

TEST_CASE("gpt-oss-120b: tokens in 5.38 GiB of cache without a hybrid cache, as vLLM logs them") {
  const Bytes per_token = kv_figures(load_model("gpt-oss-120b"), 0, DType::bf16).per_token_without_hybrid_cache;
  CHECK(per_token == Bytes{73'728});
  const double tokens = 5.38 * 1024 * 1024 * 1024 / static_cast<double>(per_token.value);
  CHECK(tokens == Approx(78'384).epsilon(0.001));  // the log rounds the size to 0.01 GiB, which is 0.19 %
}

TEST_CASE("a prediction layer in use adds its own cache: 17 layers instead of 16") {
  const Model model = load_model("qwen3.5-27b");
  const KvFigures without = kv_figures(model, 1000, DType::bf16);
  const KvFigures with = kv_figures(model, 1000, DType::bf16, true);
  CHECK(with.caching_layers == 17);
  CHECK(16 * with.at_context == 17 * without.at_context);
}

TEST_CASE("latent attention keeps one vector for all heads, and an indexer its keys on top") {
  const KvFigures v3 = kv_figures(load_model("deepseek-v3"), 131'072, DType::bf16);
  CHECK(v3.per_token == Bytes{70'272});
  CHECK(v3.index_per_token == Bytes{0});
  CHECK(kv_figures(load_model("deepseek-v3"), 0, DType::fp8_e4m3).per_token == Bytes{35'136});
  CHECK(kv_figures(load_model("deepseek-v3.2"), 0, DType::bf16).index_per_token == Bytes{2 * 7'808});
  CHECK(kv_figures(load_model("glm-5"), 0, DType::bf16).index_per_token == Bytes{2 * 9'984});
  CHECK(kv_figures(load_model("glm-5.2"), 0, DType::bf16).index_per_token ==
        Bytes{2 * 128 * 21});  // shared layers keep none
}

TEST_CASE("layers that share a cache own none") {
  const std::string text = tests::small_config(
      "gemma4", R"("layer_types": ["full_attention", "full_attention"], "num_kv_shared_layers": 1, )");
  const Model model = tests::read_text(text);
  CHECK(kv_figures(model, 0, DType::bf16).caching_layers == 1);
  CHECK(kv_figures(model, 10, DType::bf16).at_context == Bytes{10 * 2 * 8 * 8 * 2});
}

TEST_CASE("a window is full at its size and not before") {
  Mixer mixer;
  mixer.kind = MixerKind::sliding_attention;
  mixer.window = 128;
  CHECK(cached_tokens(mixer, 127) == 127);
  CHECK(cached_tokens(mixer, 128) == 128);
  CHECK(cached_tokens(mixer, 129) == 128);
}
