#include <nlohmann/json.hpp>

#include "report/inspect.hpp"
#include "report/json_parts.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using models::Inspection;

Json parameters_json(const Inspection& model) {
  const models::ParameterCounts& parameters = model.parameters;
  return {
      {"decoder", parameters.decoder}, {"embedding", parameters.embedding}, {"head", parameters.head},
      {"mtp", parameters.mtp},         {"vision", parameters.vision},       {"scales", parameters.scales},
      {"buffers", parameters.buffers}, {"total", parameters.total()},       {"read_per_token", model.read_per_token}};
}

Json layers_json(const Inspection& model) {
  Json layers = Json::array();
  for (const models::LayerRow& layer : model.per_layer) {
    layers.push_back({{"mixer", layer.mixer},
                      {"ffn", layer.ffn},
                      {"parameters", layer.parameters},
                      {"weight_bytes", layer.weight_bytes.value},
                      {"kv_bytes_per_token", layer.kv_bytes_per_token.value}});
  }
  return layers;
}

Json key_sources_json(const Inspection& model) {
  Json sources = Json::array();
  for (const models::KeySource& source : model.key_sources) {
    sources.push_back({{"size", source.what}, {"key", source.key}, {"value", source.value}});
  }
  return sources;
}

}  // namespace

Json model_json(const Inspection& model) {
  Json json{{"name", model.name}, {"family", model.family}, {"layers", model.layers}};
  json["parameters"] = parameters_json(model);
  json["weight_bytes"] = model.weight_bytes.value;
  json["kv_bytes_per_token"] = model.kv.per_token.value;
  json["kv_bytes_at_context"] = model.kv.at_context.value;
  json["kv_bytes_at_context_without_hybrid_cache"] = model.kv.at_context_without_hybrid_cache.value;
  json["state_bytes_per_sequence"] = model.kv.state.value;
  json["source_file"] = model.source_file;
  json["hidden_size"] = model.hidden_size;
  json["vocab_size"] = model.vocab_size;
  json["max_position_embeddings"] =
      model.max_position_embeddings > 0 ? Json(model.max_position_embeddings) : Json(nullptr);
  json["tied_embeddings"] = model.tied_embeddings;
  json["active_parameters"] = {{"with_embedding_and_head", model.active.with_embedding_and_head},
                               {"minus_embedding", model.active.minus_embedding},
                               {"minus_both", model.active.minus_both}};
  json["weight_bytes_read_per_token"] = model.weight_bytes_per_token.value;
  json["checkpoint_bytes"] = model.checkpoint_bytes.value;
  json["weight_types"] = model.weight_types;
  json["kv_type"] = model.kv_type;
  json["kv_bytes_per_token_without_hybrid_cache"] = model.kv.per_token_without_hybrid_cache.value;
  json["index_bytes_per_token"] = model.kv.index_per_token.value;
  json["index_bytes_at_context"] = model.kv.index_at_context.value;
  return json;
}

std::string inspect_json(const Inspection& model) {
  Json json = document();
  json["model"] = model_json(model);
  json["context_tokens"] = model.context_tokens;
  json["per_layer"] = layers_json(model);
  json["key_sources"] = key_sources_json(model);
  json["notes"] = model.notes;
  return dumped(json);
}

std::string models_json(const std::vector<Inspection>& models) {
  Json json = document();
  json["models"] = Json::array();
  for (const Inspection& model : models) json["models"].push_back(model_json(model));
  return dumped(json);
}

}  // namespace waferline::report
