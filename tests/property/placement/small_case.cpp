#include "tests/property/placement/small_case.hpp"

#include <fmt/format.h>

#include "arch/config_node.hpp"
#include "models/config.hpp"
#include "models/weights.hpp"

namespace waferline::tests {
namespace {

class Draw {
 public:
  explicit Draw(std::mt19937& random) : random_(random) {}
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  std::mt19937& random_;
};

std::string config(Draw& draw) {
  const std::int64_t kv_heads = draw.number(1, 2);
  const std::string common =
      fmt::format(R"("hidden_size": {}, "intermediate_size": {}, "num_hidden_layers": {}, "num_attention_heads": {},)"
                  R"("num_key_value_heads": {}, "head_dim": 4, "vocab_size": {}, "max_position_embeddings": 512,)"
                  R"("rms_norm_eps": 1e-5, "tie_word_embeddings": {}, "torch_dtype": "bfloat16", "hidden_act": "silu")",
                  8 * draw.number(1, 4), 8 * draw.number(1, 8), draw.number(1, 4), kv_heads * draw.number(1, 3),
                  kv_heads, draw.number(10, 80), draw.number(0, 1) == 1 ? "true" : "false");
  if (draw.number(0, 3) > 0) return fmt::format(R"({{"model_type": "llama", {}}})", common);
  return fmt::format(R"({{"model_type": "mixtral", "num_local_experts": {}, "num_experts_per_tok": 2, {}}})",
                     draw.number(2, 6), common);
}

}  // namespace

SmallCase small_case(std::mt19937& random) {
  Draw draw(random);
  SmallCase one;
  one.model = models::read_config(parse_json(config(draw), "small.json"), "small.json");
  one.wafer = load_wafer("tiny");
  const Extent usable{draw.number(2, 9), draw.number(2, 9)};
  one.wafer.fabric.extent.value = usable;
  one.wafer.fabric.usable.value = usable;
  one.software = load_software(draw.number(0, 1) == 1 ? "waferllm" : "ideal");
  one.request.context_tokens = draw.number(1, 40);
  one.request.batch = draw.number(1, 2);
  one.request.wafers = draw.number(1, 2);
  // Room for between a third and three times the layers on one wafer.
  const mapping::SramUse empty = mapping::empty_region(one.wafer, one.software);
  std::int64_t bytes = 0;
  for (const models::Layer& layer : one.model.layers) bytes += models::stored_bytes(layer.weights).value;
  const std::int64_t each = bytes / usable.pes() + 1;
  one.wafer.pe.sram.value = empty.used() + Bytes{draw.number(each / 3 + 300, 3 * each + 1500)};
  return one;
}

Setting::Setting(const SmallCase& one)
    : kinds(mapping::group_layers(one.model)),
      costs(one.model, kinds, one.wafer, one.software, {one.request.batch, one.request.context_tokens, 1}),
      assembly{one.model, one.wafer, one.software, one.request, kinds, costs},
      problem{one.model,         one.wafer, kinds, costs, mapping::empty_region(one.wafer, one.software),
              one.request.batch, true} {}

}  // namespace waferline::tests
