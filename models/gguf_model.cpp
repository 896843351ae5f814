#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "arch/error.hpp"
#include "models/config.hpp"
#include "models/counts.hpp"
#include "models/ggml_types.hpp"
#include "models/gguf.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

/// GGUF architectures and the model type that reads them; `with_experts` where experts make it another one.
struct Architecture {
  std::string_view gguf;
  std::string_view model_type;
  std::string_view with_experts = {};
};
constexpr std::array<Architecture, 27> kArchitectures{{{"llama", "llama", "mixtral"},
                                                       {"mistral", "mistral"},
                                                       {"mistral3", "mistral"},
                                                       {"qwen2", "qwen2"},
                                                       {"qwen2moe", "qwen2_moe"},
                                                       {"qwen3", "qwen3"},
                                                       {"qwen3moe", "qwen3_moe"},
                                                       {"gemma", "gemma"},
                                                       {"gemma2", "gemma2"},
                                                       {"gemma3", "gemma3_text"},
                                                       {"phi3", "phi3"},
                                                       {"phi2", "phi"},
                                                       {"gpt2", "gpt2"},
                                                       {"gptneox", "gpt_neox"},
                                                       {"starcoder2", "starcoder2"},
                                                       {"stablelm", "stablelm"},
                                                       {"command-r", "cohere"},
                                                       {"cohere2", "cohere2"},
                                                       {"olmo2", "olmo2"},
                                                       {"olmoe", "olmoe"},
                                                       {"deepseek", "deepseek"},
                                                       {"deepseek2", "deepseek_v3"},
                                                       {"gpt-oss", "gpt_oss"},
                                                       {"glm4", "glm4"},
                                                       {"glm4moe", "glm4_moe"},
                                                       {"seed_oss", "seed_oss"},
                                                       {"chatglm", "chatglm"}}};

/// Metadata keys (after the architecture's name) and the configuration keys that mean the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kKeys{
    {{"embedding_length", "hidden_size"},
     {"feed_forward_length", "intermediate_size"},
     {"context_length", "max_position_embeddings"},
     {"attention.head_count", "num_attention_heads"},
     {"attention.head_count_kv", "num_key_value_heads"},
     {"attention.key_length", "head_dim"},
     {"attention.value_length", "v_head_dim"},
     {"attention.sliding_window", "sliding_window"},
     {"attention.sliding_window_pattern", "sliding_window_pattern"},
     {"attention.q_lora_rank", "q_lora_rank"},
     {"attention.kv_lora_rank", "kv_lora_rank"},
     {"attention.indexer.head_count", "index_n_heads"},
     {"attention.indexer.key_length", "index_head_dim"},
     {"attention.indexer.top_k", "index_topk"},
     {"expert_count", "num_experts"},
     {"expert_used_count", "num_experts_per_tok"},
     {"expert_feed_forward_length", "moe_intermediate_size"},
     {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
     {"expert_shared_count", "n_shared_experts"},
     {"leading_dense_block_count", "first_k_dense_replace"},
     {"nextn_predict_layers", "num_nextn_predict_layers"},
     {"vocab_size", "vocab_size"},
     {"rope.dimension_count", "rotary_dim"}}};

const ListedTensor* tensor_named(const TensorTable& table, std::string_view name) {
  for (const ListedTensor& tensor : table.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

/// Metadata value as a node of a configuration.
ConfigNode as_node(const GgufValue& value) {
  const auto list = [](const auto& values) {
    ConfigNode::Array nodes;
    for (const auto element : values) nodes.emplace_back(element, 0);
    return ConfigNode(std::move(nodes), 0);
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return ConfigNode(*integer, 0);
  if (const auto* real = std::get_if<double>(&value)) return ConfigNode(*real, 0);
  if (const auto* flag = std::get_if<bool>(&value)) return ConfigNode(*flag, 0);
  if (const auto* text = std::get_if<std::string>(&value)) return ConfigNode(*text, 0);
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) return list(*integers);
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return list(*reals);
  if (const auto* flags = std::get_if<std::vector<bool>>(&value)) {
    ConfigNode::Array nodes;
    for (const bool flag : *flags) nodes.emplace_back(flag, 0);
    return ConfigNode(std::move(nodes), 0);
  }
  return ConfigNode(std::string("(long array)"), 0);
}

/// A configuration in the making.
struct Draft {
  ConfigNode::Object members;

  bool has(std::string_view key) const {
    return std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.key == key; });
  }
  const ConfigNode* find(std::string_view key) const {
    for (const auto& member : members) {
      if (member.key == key) return &member.value;
    }
    return nullptr;
  }
  void set(std::string_view key, ConfigNode value) {
    members.erase(std::remove_if(members.begin(), members.end(), [&](const auto& m) { return m.key == key; }),
                  members.end());
    members.push_back({std::string(key), std::move(value)});
  }
  void set(std::string_view key, std::int64_t value) { set(key, ConfigNode(value, 0)); }
  std::optional<std::int64_t> integer(std::string_view key) const {
    const ConfigNode* node = find(key);
    return node != nullptr && node->integer() != nullptr ? std::optional(*node->integer()) : std::nullopt;
  }
};

std::string architecture_of(const GgufFile& file, const std::string& file_name) {
  const GgufValue* value = file.find("general.architecture");
  const std::string* name = value == nullptr ? nullptr : std::get_if<std::string>(value);
  if (name == nullptr) throw ConfigError(fmt::format("{}: general.architecture: is missing or no text", file_name));
  return *name;
}

/// Lists of one value a layer: equal ones become a number, others stay under a key of their own.
void settle_list(Draft& draft, std::string_view key, std::string_view list_key) {
  const ConfigNode* node = draft.find(key);
  const ConfigNode::Array* list = node == nullptr ? nullptr : node->array();
  if (list == nullptr || list->empty()) return;
  const auto value = [](const ConfigNode& n) { return n.integer() != nullptr ? *n.integer() : std::int64_t{-1}; };
  std::int64_t largest = -1, smallest = INT64_MAX;
  for (const ConfigNode& element : *list) {
    largest = std::max(largest, value(element));
    smallest = std::min(smallest, value(element));
  }
  const ConfigNode copy = *node;
  draft.set(key, std::max<std::int64_t>(largest, 1));
  if (largest != smallest) draft.set(list_key, copy);
}

/// Sliding layers as a list of truths become words.
void settle_windows(Draft& draft) {
  const ConfigNode* node = draft.find("sliding_window_pattern");
  const ConfigNode::Array* list = node == nullptr ? nullptr : node->array();
  if (list == nullptr) return;
  ConfigNode::Array words;
  for (const ConfigNode& mark : *list) {
    const bool sliding =
        mark.boolean() != nullptr ? *mark.boolean() : mark.integer() != nullptr && *mark.integer() != 0;
    words.emplace_back(std::string(sliding ? "sliding_attention" : "full_attention"), 0);
  }
  draft.set("sliding_window_pattern", ConfigNode());
  draft.set("layer_types", ConfigNode(std::move(words), 0));
}

/// block_count includes the layers that predict ahead.
void settle_layers(Draft& draft, const GgufFile& file, const std::string& arch, const std::string& file_name) {
  const GgufValue* value = file.find(arch + ".block_count");
  const std::int64_t* blocks = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  if (blocks == nullptr)
    throw ConfigError(fmt::format("{}: {}.block_count: is missing or no integer", file_name, arch));
  draft.set("num_hidden_layers", *blocks - draft.integer("num_nextn_predict_layers").value_or(0));
}

/// Head sizes of latent attention: files state them before or after the latent is absorbed.
void settle_latent(Draft& draft, const GgufFile& file, const std::string& arch) {
  if (draft.integer("kv_lora_rank").value_or(0) == 0) return;
  const auto stated = [&](const char* key) -> std::optional<std::int64_t> {
    const GgufValue* value = file.find(arch + key);
    const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    return integer == nullptr ? std::nullopt : std::optional(*integer);
  };
  const auto key_size =
      stated(".attention.key_length_mla") ? stated(".attention.key_length_mla") : stated(".attention.key_length");
  const auto value_size =
      stated(".attention.value_length_mla") ? stated(".attention.value_length_mla") : stated(".attention.value_length");
  const auto rotary = stated(".rope.dimension_count");
  if (rotary) draft.set("qk_rope_head_dim", *rotary);
  if (rotary && key_size) draft.set("qk_nope_head_dim", *key_size - *rotary);
  if (value_size) draft.set("v_head_dim", *value_size);
  draft.set("head_dim", ConfigNode());
}

/// What only the tensors say: vocabulary, ties, biases.
void settle_from_tensors(Draft& draft, const GgufFile& file, const std::string& file_name) {
  const ListedTensor* embedding = tensor_named(file.table, "token_embd.weight");
  if (embedding != nullptr && embedding->shape.size() == 2) {
    draft.set("vocab_size", embedding->shape.front());
  } else if (!draft.has("vocab_size")) {
    throw ConfigError(fmt::format("{}: token_embd.weight: is not there, and no key states vocab_size", file_name));
  }
  const bool whole = file.table.unread_names.empty();
  const bool has_output = tensor_named(file.table, "output.weight") != nullptr;
  if (whole || has_output) draft.set("tie_word_embeddings", ConfigNode(!has_output, 0));
  if (tensor_named(file.table, "blk.0.attn_q.bias") != nullptr) draft.set("attention_bias", ConfigNode(true, 0));
  const bool corrected = std::any_of(file.table.tensors.begin(), file.table.tensors.end(),
                                     [](const ListedTensor& t) { return t.name.find("exp_probs_b") != t.name.npos; });
  if (corrected) draft.set("topk_method", ConfigNode(std::string("noaux_tc"), 0));
}

void take_metadata(Draft& draft, const GgufFile& file, const std::string& arch) {
  const std::string prefix = arch + ".";
  for (const auto& [key, value] : file.metadata) {
    if (!key.starts_with(prefix)) continue;
    const std::string_view rest = std::string_view(key).substr(prefix.size());
    if (rest == "block_count" || rest.ends_with("_mla")) continue;
    const auto known = std::find_if(kKeys.begin(), kKeys.end(), [&](const auto& pair) { return pair.first == rest; });
    std::string name(known != kKeys.end() ? known->second : rest);
    std::replace(name.begin(), name.end(), '.', '_');
    draft.set(name, as_node(value));
  }
}

Draft draft_of(const GgufFile& file, const std::string& arch, const std::string& file_name) {
  const auto row =
      std::find_if(kArchitectures.begin(), kArchitectures.end(), [&](const Architecture& a) { return a.gguf == arch; });
  if (row == kArchitectures.end()) {
    std::string known;
    for (const Architecture& a : kArchitectures) known += (known.empty() ? "" : ", ") + std::string(a.gguf);
    throw ConfigError(
        fmt::format("{}: general.architecture: is \"{}\", which is not known; known are {}", file_name, arch, known));
  }
  Draft draft;
  take_metadata(draft, file, arch);
  const bool experts = draft.integer("num_experts").value_or(0) > 0;
  draft.set("model_type",
            ConfigNode(std::string(experts && !row->with_experts.empty() ? row->with_experts : row->model_type), 0));
  draft.set("torch_dtype", ConfigNode(std::string("float16"), 0));
  settle_layers(draft, file, arch, file_name);
  settle_list(draft, "num_attention_heads", "num_attention_heads_per_layer");
  settle_list(draft, "num_key_value_heads", "num_key_value_heads_per_layer");
  settle_list(draft, "intermediate_size", "intermediate_size_per_layer");
  settle_windows(draft);
  settle_latent(draft, file, arch);
  settle_from_tensors(draft, file, file_name);
  return draft;
}

/// Tensor of a layer's weight, "" if its name has no counterpart.
std::string tensor_of(const Weight& weight) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kNames{
      {{"q_proj", "attn_q"},
       {"k_proj", "attn_k"},
       {"v_proj", "attn_v"},
       {"o_proj", "attn_output"},
       {"q_a_proj", "attn_q_a"},
       {"q_b_proj", "attn_q_b"},
       {"kv_a_proj_with_mqa", "attn_kv_a_mqa"},
       {"kv_b_proj", "attn_kv_b"},
       {"experts.gate_proj", "ffn_gate_exps"},
       {"experts.up_proj", "ffn_up_exps"},
       {"experts.down_proj", "ffn_down_exps"},
       {"shared_expert.gate_proj", "ffn_gate_shexp"},
       {"gate_proj", "ffn_gate"},
       {"up_proj", "ffn_up"},
       {"down_proj", "ffn_down"},
       {"gate", "ffn_gate_inp"}}};
  const std::string module = weight.name.substr(0, weight.name.rfind('.'));
  if (!weight.name.ends_with(".weight")) return {};
  const bool shared = module.find(".shared_expert") != module.npos;
  for (const auto& [ours, theirs] : kNames) {
    if (!module.ends_with(fmt::format(".{}", ours)) && module != ours) continue;
    return shared && theirs.starts_with("ffn_") && !theirs.ends_with("exps") && !theirs.ends_with("shexp")
               ? std::string(theirs) + "_shexp"
               : std::string(theirs);
  }
  return {};
}

/// Type of the first of these tensors that the file lists.
std::optional<StoredType> listed_type(const TensorTable& table, std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    const ListedTensor* tensor = tensor_named(table, name);
    if (tensor != nullptr) return stored_as(*ggml_type(tensor->dtype));
  }
  return std::nullopt;
}

/// Marks every weight with the type of its tensor; vectors and what has no tensor of its own are fp32, as converters
/// leave it.
void store_as_listed(Model& model, const GgufFile& file) {
  std::map<std::string_view, const ListedTensor*> by_name;
  for (const ListedTensor& tensor : file.table.tensors) by_name.emplace(tensor.name, &tensor);
  const auto type_of = [&](const std::string& name) -> std::optional<StoredType> {
    const auto found = by_name.find(name);
    return found == by_name.end() ? std::nullopt : std::optional(stored_as(*ggml_type(found->second->dtype)));
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (Weight& weight : model.layers[i].weights) {
      const std::string tensor = tensor_of(weight);
      std::optional<StoredType> type;
      if (!tensor.empty()) type = type_of(fmt::format("blk.{}.{}.weight", i, tensor));
      if (!type && weight.role == WeightRole::attention) type = type_of(fmt::format("blk.{}.attn_qkv.weight", i));
      if (!type && weight.role == WeightRole::dense_ffn) type = type_of(fmt::format("blk.{}.ffn_up.weight", i));
      weight.stored = type.value_or(StoredType{.dtype = DType::fp32});
    }
  }
  const StoredType embedding =
      listed_type(file.table, {"token_embd.weight"}).value_or(StoredType{.dtype = DType::fp16});
  const StoredType head = listed_type(file.table, {"output.weight"}).value_or(embedding);
  for (Weight& weight : model.embedding) weight.stored = embedding;
  for (Weight& weight : model.head) weight.stored = weight.cols > 1 ? head : StoredType{.dtype = DType::fp32};
  for (Weight& weight : model.final_norm) weight.stored = {.dtype = DType::fp32};
  model.stored_embedding = embedding;
  model.stored_head = head;
  model.stored.clear();
  for (const Layer& layer : model.layers) {
    for (const Weight& weight : layer.weights) {
      StoredType& most = model.stored.try_emplace(weight.role, weight.stored).first->second;
      if (bits_per_element(weight.stored.dtype) < bits_per_element(most.dtype)) most = weight.stored;
    }
  }
}

}  // namespace

Model model_from_gguf(const GgufFile& file, const std::string& file_name) {
  const std::string arch = architecture_of(file, file_name);
  Draft draft = draft_of(file, arch, file_name);
  const ConfigNode root(std::move(draft.members), 0);
  ConfigSurroundings around;
  const GgufValue* name = file.find("general.name");
  if (name != nullptr && std::holds_alternative<std::string>(*name)) around.name = std::get<std::string>(*name);
  Model model = read_config(root, file_name, around);
  store_as_listed(model, file);
  model.buffers.clear();
  count_parameters(model);
  model.parameters.scales = 0;  // blocks hold their scales: a GGUF lists none apart
  model.notes.push_back(
      fmt::format("GGUF version {}, architecture \"{}\", {} tensors", file.version, arch, file.table.tensors.size()));
  for (std::string& note : cross_check(model, file.table)) model.notes.push_back(std::move(note));
  return model;
}

Model read_gguf_model(const std::filesystem::path& path) {
  Model model = model_from_gguf(read_gguf(path), path.string());
  if (model.name.empty()) model.name = path.stem().string();
  return model;
}

}  // namespace waferline::models
