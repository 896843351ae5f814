#include "models/config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/counts.hpp"
#include "models/extras.hpp"
#include "models/family.hpp"
#include "models/prediction.hpp"
#include "models/quantisation.hpp"
#include "models/select.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

void read_whole(Keys& keys, const Family& family, Model& model) {
  model.family = family.name;
  model.hidden_size = keys.size("hidden_size");
  model.vocab_size = keys.size("vocab_size");
  model.max_position_embeddings = keys.find("max_position_embeddings").value_or(0);
  if (const auto projected = keys.find("word_embed_proj_dim"); projected && *projected != model.hidden_size) {
    keys.problem("word_embed_proj_dim",
                 fmt::format("is {} where hidden_size is {}: projected embeddings are not modelled", *projected,
                             model.hidden_size));
  }
  if (model.max_position_embeddings == 0) keys.note("no key states the longest context");
}

std::int64_t count_layers(Keys& keys, const Family& family) {
  if (family.layers_from_blocks) return 0;
  if (family.layers_key == nullptr) return keys.size("num_hidden_layers");
  const std::optional<std::int64_t> stated = keys.integer(family.layers_key, {1, 4096});
  if (!stated) return keys.size("num_hidden_layers");
  keys.ignore({"num_hidden_layers"});
  keys.note(fmt::format("layers from {}: {}; num_hidden_layers, where it stands beside, counts something else",
                        family.layers_key, *stated));
  return *stated;
}

bool tied(Keys& keys, const Family& family) {
  const std::optional<bool> shared = keys.flag("share_input_output_layers");
  if (shared) return *shared;
  const std::optional<bool> stated = keys.flag_anywhere("tie_word_embeddings");
  if (!stated) {
    keys.note(
        fmt::format("tie_word_embeddings is absent: {} as the family's class has it", family.tied ? "tied" : "untied"));
  }
  return stated.value_or(family.tied);
}

void add_ends(Keys& keys, const Family& family, Model& model) {
  const std::int64_t d = model.hidden_size;
  model.tied_embeddings = tied(keys, family);
  WeightList embedding(model.embedding);
  embedding.matrix("embed_tokens.weight", WeightRole::other, model.vocab_size, d);
  if (family.positions) {
    const std::int64_t positions = keys.size("max_position_embeddings") + family.extra_positions;
    embedding.matrix("embed_positions.weight", WeightRole::other, positions, d);
  }
  WeightList head(model.head);
  head.matrix("lm_head.weight", WeightRole::other, model.vocab_size, d);
  if (keys.on(family.head_bias)) head.vector("lm_head.bias", WeightRole::bias, model.vocab_size);
  WeightList norm(model.final_norm);
  const bool bias = keys.on(family.norms.bias);
  norm.vector("norm.weight", WeightRole::norm, d);
  if (bias) norm.vector("norm.bias", WeightRole::norm, d);
  if (family.embedding_norm) {
    norm.vector("word_embeddings_layernorm.weight", WeightRole::norm, d);
    norm.vector("word_embeddings_layernorm.bias", WeightRole::norm, d);
  }
}

}  // namespace

Model read_config(const ConfigNode& root, const std::string& file_name, const ConfigSurroundings& around) {
  Problems problems(file_name);
  if (root.object() == nullptr) {
    problems.add(root.line(), "",
                 fmt::format("is {}, an object with the keys of a model was expected", root.describe()));
    problems.throw_if_any();
  }
  Keys keys(root, problems);
  const Family& family = select_family(keys);
  Model model;
  model.source_file = file_name;
  model.name = around.name;
  read_whole(keys, family, model);
  problems.throw_if_any();
  Build build{keys, family, model, 0};
  build.layers = count_layers(keys, family);
  (family.build != nullptr ? family.build : build_standard)(build);
  add_ends(keys, family, model);
  add_prediction_layers(build);
  add_vision(build);
  add_stored_buffers(build);
  const QuantScheme scheme = read_quantisation(keys, around);
  if (family.note != nullptr) keys.note(family.note);
  keys.refuse_unknown_sizes();
  problems.throw_if_any();
  refuse_oversized(model, problems);
  apply_quantisation(scheme, model);
  model.key_sources = keys.sources();
  model.notes = keys.notes();
  count_parameters(model);
  return model;
}

namespace {

/// hf_quant_config.json of a configuration: beside config.json; for NAME.json, NAME.hf_quant_config.json beside it or
/// in a folder hf_quant_configs beside its own. Empty if there is none.
std::filesystem::path quant_file_of(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path dir = std::filesystem::absolute(file, ignored).parent_path();
  const std::string own = file.stem().string() + ".hf_quant_config.json";
  std::vector<std::filesystem::path> places{dir / own, dir.parent_path() / "hf_quant_configs" / own};
  if (file.filename() == "config.json") places.insert(places.begin(), dir / "hf_quant_config.json");
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::is_regular_file(place, ignored)) return place;
  }
  return {};
}

}  // namespace

Model read_config_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = folder ? path / "config.json" : path;
  const ConfigNode root = read_json_file(file);
  ConfigSurroundings around;
  const bool plain_name = file.filename() == "config.json";
  const std::filesystem::path parent = std::filesystem::absolute(file, ignored).parent_path();
  around.name = plain_name ? parent.filename().string() : file.stem().string();
  const std::filesystem::path beside = quant_file_of(file);
  ConfigNode quant;
  if (!beside.empty()) {
    quant = read_json_file(beside);
    around.hf_quant_config = &quant;
    around.hf_quant_file = beside.string();
  }
  return read_config(root, file.string(), around);
}

}  // namespace waferline::models
