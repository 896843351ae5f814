#include "models/quantisation.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "models/quant_types.hpp"

namespace waferline::models {
namespace {

constexpr IntegerRange kGroup{-1, 1 << 20};

/// dtype of the file: what is not quantised is stored so.
void read_dtype(Keys& keys, QuantScheme& scheme) {
  const ConfigNode* node = nullptr;
  for (const char* key : {"torch_dtype", "dtype"}) {
    if (node == nullptr) node = keys.node_anywhere(key);
  }
  const std::string* text = node == nullptr ? nullptr : node->string();
  if (node != nullptr && text == nullptr)
    keys.problem("torch_dtype", fmt::format("is {}, a string was expected", node->describe()));
  constexpr std::array<std::pair<std::string_view, DType>, 9> kNames{{{"bfloat16", DType::bf16},
                                                                      {"bf16", DType::bf16},
                                                                      {"float16", DType::fp16},
                                                                      {"fp16", DType::fp16},
                                                                      {"half", DType::fp16},
                                                                      {"float32", DType::fp32},
                                                                      {"fp32", DType::fp32},
                                                                      {"float", DType::fp32},
                                                                      {"fp8", DType::bf16}}};
  if (text == nullptr || *text == "auto") {
    keys.note("no key states a dtype: weights that are not quantised are taken as bf16");
    return;
  }
  for (const auto& [name, dtype] : kNames) {
    if (*text == name || *text == fmt::format("torch.{}", name)) {
      scheme.plain.dtype = dtype;
      scheme.kv_dtype = dtype == DType::fp32 ? DType::bf16 : dtype;
      if (dtype == DType::fp32)
        keys.note("the checkpoint is stored in fp32; its KV cache is taken as bf16, as engines serve it");
      if (name == "fp8") {
        scheme.rules.push_back({fp8_blocks(128, 128), QuantReach::linear, true, {}});
        scheme.description = "fp8 in blocks of 128 x 128 (DeepSeek's own format)";
      }
      return;
    }
  }
  keys.problem("torch_dtype", fmt::format("is \"{}\"; known are bfloat16, float16, float32", *text));
}

/// Everything that reads one settings object.
struct Settings {
  ObjectReader& reader;
  QuantScheme& scheme;
  Keys& keys;

  void ignore_list(std::string_view key, ModulePatterns& patterns) const {
    const auto list = reader.optional_strings(key);
    if (!list) return;
    for (const std::string& pattern : *list) {
      const std::string wrong = patterns.add(pattern);
      if (!wrong.empty()) reader.problem(key, fmt::format("\"{}\" {}", pattern.substr(0, 60), wrong));
    }
  }
  void rule(StoredType type, QuantReach reach = QuantReach::linear) const {
    scheme.rules.push_back({type, reach, true, {}});
  }
  std::int64_t bits_of(std::string_view key) const {
    const std::int64_t bits = reader.integer(key, {1, 16});
    if (bits != 4 && bits != 8) reader.problem(key, fmt::format("is {}: only 4 and 8 bits are modelled", bits));
    return bits == 8 ? 8 : 4;
  }
};

void read_fp8(const Settings& s) {
  const ConfigNode* block = s.reader.node("weight_block_size");
  const auto activation = s.reader.optional_string("activation_scheme");
  if (block != nullptr && !block->is_null()) {
    const auto sizes = s.reader.integers("weight_block_size", {1, 1 << 16});
    if (sizes.size() != 2) s.reader.problem("weight_block_size", "must be a list of two sizes, rows and columns");
    s.rule(fp8_blocks(sizes.empty() ? 1 : sizes.front(), sizes.empty() ? 1 : sizes.back()));
  } else {
    s.rule(fp8_tensor(activation && *activation == "static" ? 2 : 1));
  }
}

/// One group of compressed-tensors: what its weights' settings mean.
std::optional<StoredType> compressed_type(ObjectReader& weights, std::string_view format) {
  const std::int64_t bits = weights.integer("num_bits", {1, 32});
  const bool is_float = weights.optional_string("type").value_or("int") == "float";
  const auto group = weights.optional_integer("group_size", kGroup);
  const std::string strategy = weights.optional_string("strategy").value_or(group.value_or(0) > 0 ? "group" : "tensor");
  if (bits == 4 && is_float) return format == "mxfp4-pack-quantized" || group.value_or(16) == 32 ? mxfp4() : nvfp4(2);
  if (bits == 8 && is_float) {
    const auto block = weights.optional_integers("block_structure", {1, 1 << 16});
    if (strategy == "block" && block && block->size() == 2) return fp8_blocks(block->front(), block->back());
    if (strategy == "channel") return StoredType{DType::fp8_e4m3, 1, StoredType::kWholeRow, 16, 0};
    return fp8_tensor(1);
  }
  if (bits == 4 || bits == 8)
    return integer_groups(static_cast<int>(bits), strategy == "group" ? group.value_or(-1) : -1, 16);
  if (bits == 16) return std::nullopt;
  weights.problem("num_bits", fmt::format("is {}: only 4, 8 and 16 bits are modelled", bits));
  return std::nullopt;
}

/// config_groups: one rule a group. "Linear" means every linear module.
void read_groups(const Settings& s) {
  const std::string format = s.reader.optional_string("format").value_or("");
  const ConfigNode* node = s.reader.node("config_groups");
  const ConfigNode::Object* groups = node == nullptr ? nullptr : node->object();
  if (groups == nullptr) {
    s.reader.problem("config_groups", "is missing or no object: nothing says how many bits the weights have");
    return;
  }
  ObjectReader reader(*node, s.keys.problems(), s.reader.path_of("config_groups"));
  for (const ConfigNode::Member& member : *groups) {
    ObjectReader group = reader.object(member.key);
    if (!group.has_value("weights")) continue;
    ObjectReader weights = group.object("weights");
    const std::optional<StoredType> type = compressed_type(weights, group.optional_string("format").value_or(format));
    if (!type) continue;
    QuantRule rule{*type, QuantReach::linear, false, {}};
    for (const std::string& target : group.optional_strings("targets").value_or(std::vector<std::string>{"Linear"})) {
      if (target == "Linear")
        rule.all = true;
      else if (const std::string wrong = rule.modules.add(target); !wrong.empty())
        group.problem("targets", wrong);
    }
    s.scheme.rules.push_back(std::move(rule));
  }
}

/// quantized_layers: module -> {quant_algo, group_size}.
void read_quantised_layers(const Settings& s) {
  const ConfigNode* node = s.reader.node("quantized_layers");
  const ConfigNode::Object* layers = node == nullptr ? nullptr : node->object();
  if (layers == nullptr) {
    s.reader.problem("quantized_layers", "is missing or no object, though quant_algo is MIXED_PRECISION");
    return;
  }
  for (const ConfigNode::Member& member : *layers) {
    ObjectReader layer(member.value, s.keys.problems(),
                       fmt::format("{}.{}", s.reader.path_of("quantized_layers"), member.key));
    const std::string algorithm = layer.string("quant_algo");
    const auto type = modelopt_type(algorithm, layer.optional_integer("group_size", kGroup));
    if (!type) {
      layer.problem("quant_algo", fmt::format("is \"{}\", which is not modelled", algorithm));
      continue;
    }
    QuantRule* rule = nullptr;  // one rule a type, so that thousands of modules are looked up by layer
    for (QuantRule& known : s.scheme.rules) {
      if (!known.all && known.type == *type) rule = &known;
    }
    if (rule == nullptr) rule = &s.scheme.rules.emplace_back(QuantRule{*type, QuantReach::everything, false, {}});
    if (const std::string wrong = rule->modules.add(member.key); !wrong.empty()) layer.problem("", wrong);
  }
}

/// ModelOpt, in config.json or in hf_quant_config.json.
void read_modelopt(const Settings& s) {
  const std::string algorithm = s.reader.string("quant_algo");
  s.scheme.description += fmt::format(" {}", algorithm);
  if (algorithm == "MIXED_PRECISION") {
    read_quantised_layers(s);
    return;
  }
  const auto type = modelopt_type(algorithm, s.reader.optional_integer("group_size", kGroup));
  if (!type) {
    s.reader.problem("quant_algo", fmt::format("is \"{}\", which is not modelled", algorithm));
    return;
  }
  s.rule(*type);
}

void read_bitsandbytes(const Settings& s) {
  const bool four =
      s.reader.optional_boolean("load_in_4bit").value_or(s.reader.optional_boolean("_load_in_4bit").value_or(false));
  const bool eight =
      s.reader.optional_boolean("load_in_8bit").value_or(s.reader.optional_boolean("_load_in_8bit").value_or(false));
  if (four == eight) s.reader.problem("load_in_4bit", "either load_in_4bit or load_in_8bit must be true");
  const bool twice = s.reader.optional_boolean("bnb_4bit_use_double_quant").value_or(false);
  if (four) s.rule(integer_groups(4, 64, twice ? 8 : 32));
  if (eight) s.rule(integer_groups(8, -1, 32));
  s.ignore_list("llm_int8_skip_modules", s.scheme.ignore);
}

void read_packed_integers(const Settings& s, const std::string& method) {
  const auto bits = static_cast<int>(s.bits_of("bits"));
  const char* group_key = s.reader.has_value("q_group_size") ? "q_group_size" : "group_size";
  const std::int64_t group = s.reader.integer(group_key, kGroup);
  s.rule(integer_groups(bits, group, 16 + bits));  // one fp16 scale and one packed zero point
  s.keys.note(fmt::format("{}: row order and padding tensors are not counted", method));
}

/// Dispatches on quant_method. An fp8 file with a ModelOpt algorithm beside has both: the named layers, then fp8.
void read_method(const Settings& s) {
  const std::string method = s.reader.string("quant_method");
  s.scheme.description = method;
  const bool algorithm = s.reader.has_value("quant_algo");
  if (method == "fp8" && algorithm) {
    read_modelopt(s);
    s.scheme.rules_outrank_ignore = true;
    read_fp8(s);
  } else if (method == "fp8") {
    read_fp8(s);
  } else if (method == "modelopt" || (algorithm && method.starts_with("modelopt"))) {
    read_modelopt(s);
  } else if (method == "mxfp4") {
    s.rule(mxfp4(), QuantReach::routed_experts);
  } else if (method == "compressed-tensors") {
    read_groups(s);
  } else if (method == "gptq" || method == "awq" || method == "auto-round") {
    read_packed_integers(s, method);
  } else if (method == "bitsandbytes") {
    read_bitsandbytes(s);
  } else if (method == "fbgemm_fp8") {
    s.rule({DType::fp8_e4m3, 1, StoredType::kWholeRow, 32, 0});
  } else if (s.reader.has_value("quant_method")) {
    s.reader.problem("quant_method",
                     fmt::format("is \"{}\"; known are fp8, mxfp4, compressed-tensors, modelopt, gptq, awq, "
                                 "auto-round, bitsandbytes, fbgemm_fp8",
                                 method));
  }
  for (const char* key : {"modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules"})
    s.ignore_list(key, s.scheme.ignore);
}

/// MLX: bits and group size for everything, with exceptions by module name.
void read_mlx(const Settings& s, const ConfigNode& node) {
  const auto group = s.reader.integer("group_size", {1, 1 << 16});
  const auto mode = s.reader.optional_string("mode");
  const bool mx = mode && *mode == "mxfp4";
  s.scheme.description = "MLX";
  for (const ConfigNode::Member& member : *node.object()) {
    if (member.value.boolean() != nullptr && !*member.value.boolean()) s.scheme.ignore.add(member.key);
    if (member.value.object() == nullptr) continue;
    ObjectReader part(member.value, s.keys.problems(), s.reader.path_of(member.key));
    const auto bits = static_cast<int>(Settings{part, s.scheme, s.keys}.bits_of("bits"));
    QuantRule rule{
        integer_groups(bits, part.integer("group_size", {1, 1 << 16}), 32), QuantReach::everything, false, {}};
    rule.modules.add(member.key);
    s.scheme.rules.push_back(std::move(rule));
  }
  s.rule(mx ? mxfp4() : integer_groups(static_cast<int>(s.bits_of("bits")), group, 32), QuantReach::everything);
}

/// kv_cache_scheme is null, a word or an object; ModelOpt writes kv_cache_quant_algo.
void read_kv_dtype(const Settings& s) {
  for (const char* key : {"kv_cache_scheme", "kv_cache_quant_algo"}) {
    const ConfigNode* node = s.reader.node(key);
    if (node == nullptr || node->is_null()) continue;
    const std::string* word = node->string();
    const ConfigNode* bits = node->find("num_bits");
    const bool eight =
        (word != nullptr && *word == "FP8") || (bits != nullptr && bits->integer() != nullptr && *bits->integer() == 8);
    if (!eight) {
      s.reader.problem(key, fmt::format("is {}: only 8-bit floats are modelled", node->describe()));
    }
    s.scheme.kv_dtype = DType::fp8_e4m3;
    s.keys.note(fmt::format("{}: the KV cache holds 8-bit floats", s.reader.path_of(key)));
  }
}

void read_expert_dtype(Keys& keys, QuantScheme& scheme) {
  const ConfigNode* node = keys.node_anywhere("expert_dtype");
  if (node == nullptr) return;
  if (node->string() == nullptr || *node->string() != "fp4") {
    keys.problem("expert_dtype", fmt::format("is {}; known is \"fp4\"", node->describe()));
    return;
  }
  scheme.rules.insert(scheme.rules.begin(), QuantRule{mxfp4(), QuantReach::routed_experts, true, {}});
  keys.note("expert_dtype \"fp4\": routed experts have 4 bits, whatever quant_method says");
}

void read_beside(Keys& keys, const ConfigSurroundings& around, QuantScheme& scheme) {
  Problems problems(around.hf_quant_file);
  ObjectReader file(*around.hf_quant_config, problems);
  ObjectReader reader = file.object("quantization");
  const Settings settings{reader, scheme, keys};
  scheme.description = "modelopt";
  scheme.rules.clear();
  if (reader.has_value("quant_algo")) {
    read_modelopt(settings);
  } else {
    scheme.description = "modelopt, KV cache only";
  }
  settings.ignore_list("exclude_modules", scheme.ignore);
  read_kv_dtype(settings);
  keys.note(
      fmt::format("quantisation from hf_quant_config.json beside the configuration:{}", scheme.description.substr(8)));
  problems.throw_if_any();
}

}  // namespace

QuantScheme read_quantisation(Keys& keys, const ConfigSurroundings& around) {
  QuantScheme scheme;
  read_dtype(keys, scheme);
  const ConfigNode* mlx = keys.node_anywhere("quantization");
  const ConfigNode* stated = keys.node_anywhere("quantization_config");
  if (mlx == nullptr && stated != nullptr && stated->find("quant_method") == nullptr && stated->find("bits") != nullptr)
    mlx = stated;
  const ConfigNode* node = mlx != nullptr ? mlx : stated;
  if (node != nullptr) {
    ObjectReader reader(*node, keys.problems(),
                        mlx != nullptr && mlx != stated ? "quantization" : "quantization_config");
    const Settings settings{reader, scheme, keys};
    if (node->object() != nullptr) {
      scheme.rules.clear();
      mlx != nullptr ? read_mlx(settings, *mlx) : read_method(settings);
      read_kv_dtype(settings);
    }
  } else if (around.hf_quant_config != nullptr) {
    read_beside(keys, around, scheme);
  }
  read_expert_dtype(keys, scheme);
  if (!scheme.description.empty()) keys.note(fmt::format("stored as: {}", scheme.description));
  return scheme;
}

}  // namespace waferline::models
