#include "models/inspect.hpp"

#include "arch/error.hpp"
#include "models/library.hpp"
#include "models/weights.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::models;

TEST_CASE("the rows of an inspection add up to the decoder without its final norm") {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-120b", "deepseek-v3", "nemotron-super-49b", "qwen3.5-35b-a3b"}) {
    INFO(name);
    const Model model = load_model(name);
    const Inspection all = inspect(model, 8192);
    std::int64_t parameters = 0;
    Bytes bytes, kv;
    for (const LayerRow& row : all.per_layer) {
      parameters += row.parameters;
      bytes += row.weight_bytes;
      kv += row.kv_bytes_per_token;
    }
    CHECK(parameters + elements(model.final_norm) == all.parameters.decoder);
    CHECK(bytes < all.weight_bytes);
    CHECK(kv == all.kv.per_token_without_hybrid_cache);
    CHECK(all.layers == static_cast<std::int64_t>(all.per_layer.size()));
    CHECK(all.weight_bytes <= all.checkpoint_bytes);
    CHECK(all.weight_bytes_per_token <= all.weight_bytes);
  }
}

TEST_CASE("an inspection describes each layer's mixer and block") {
  const Inspection v3 = inspect(load_model("deepseek-v3"), 8192);
  CHECK(v3.per_layer[0].mixer == "latent attention 128 heads, 512 + 64");
  CHECK(v3.per_layer[0].ffn == "gated 18432");
  CHECK(v3.per_layer[3].ffn == "8 of 256 experts x 2048 + shared 2048");
  CHECK(inspect(load_model("gpt-oss-120b"), 1).per_layer[0].mixer == "sliding 128 attention 64/8 x 64");
}

TEST_CASE("weights and cache can be taken in other types than the checkpoint's") {
  const Model model = load_model("llama-3.1-8b");
  const Inspection sixteen = inspect(model, 8192, {.weight_bits = 16, .kv_dtype = {}});
  const Inspection eight = inspect(model, 8192, {.weight_bits = 8, .kv_dtype = DType::fp8_e4m3});
  const Inspection four = inspect(model, 8192, {.weight_bits = 4, .kv_dtype = {}});
  CHECK(sixteen.weight_bytes == Bytes{2 * 8'030'261'248});
  const std::int64_t projections = 32LL * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336);
  CHECK(eight.weight_bytes == sixteen.weight_bytes - Bytes{projections} + Bytes{4 * projections / (128 * 128)});
  CHECK(four.weight_bytes == sixteen.weight_bytes - Bytes{2 * projections} + Bytes{projections / 2 + projections / 32});
  CHECK(2 * eight.kv.at_context == sixteen.kv.at_context);
  CHECK_THROWS_AS(inspect(model, 8192, {.weight_bits = 5, .kv_dtype = {}}), ConfigError);
  CHECK_THROWS_AS(inspect(model, -1), ConfigError);
}
