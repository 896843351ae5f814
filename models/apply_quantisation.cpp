#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/quantisation.hpp"

namespace waferline::models {
namespace {

bool within(QuantReach reach, const Weight& weight) {
  if (weight.role == WeightRole::norm || weight.role == WeightRole::bias || weight.cols == 1) return false;
  if (reach == QuantReach::everything) return weight.role != WeightRole::state_space;
  if (weight.role == WeightRole::routed_expert) return true;
  return reach == QuantReach::linear && (weight.role == WeightRole::attention || weight.role == WeightRole::dense_ffn ||
                                         weight.role == WeightRole::shared_expert);
}

std::string module_of(const Weight& weight) {
  const std::size_t dot = weight.name.rfind('.');
  return dot == std::string::npos ? weight.name : weight.name.substr(0, dot);
}

/// Type of a weight whose module goes by these names.
StoredType stored_type(const QuantScheme& scheme, const Weight& weight, const std::vector<std::string>& modules) {
  const auto named = [&modules](const ModulePatterns& patterns) {
    return std::any_of(modules.begin(), modules.end(),
                       [&](const std::string& module) { return patterns.name(module); });
  };
  const bool ignored = !scheme.rules_outrank_ignore && named(scheme.ignore);
  if (ignored) return scheme.plain;
  for (const QuantRule& rule : scheme.rules) {
    if (within(rule.reach, weight) && (rule.all || named(rule.modules))) return rule.type;
  }
  return scheme.plain;
}

/// The router's correction bias is kept in fp32 (GLM-5: 75 x 256 of them explain its published bytes to the last).
bool is_router_correction(const Weight& weight) {
  return weight.name.ends_with("e_score_correction_bias");
}

void mark(const QuantScheme& scheme, std::vector<Weight>& weights, const std::vector<std::string>& places) {
  for (Weight& weight : weights) {
    std::vector<std::string> modules;
    for (const std::string& place : places) modules.push_back(place + module_of(weight));
    weight.stored =
        is_router_correction(weight) ? StoredType{.dtype = DType::fp32} : stored_type(scheme, weight, modules);
  }
}

/// For each role, how most of its elements are stored.
std::map<WeightRole, StoredType> by_role(const Model& model) {
  std::map<WeightRole, std::vector<std::pair<StoredType, std::int64_t>>> sums;
  for (const Layer& layer : model.layers) {
    for (const Weight& weight : layer.weights) {
      auto& list = sums[weight.role];
      const auto found =
          std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == weight.stored; });
      if (found == list.end()) {
        list.emplace_back(weight.stored, weight.elements());
      } else {
        found->second += weight.elements();
      }
    }
  }
  std::map<WeightRole, StoredType> most;
  for (const auto& [role, list] : sums) {
    most[role] = std::max_element(list.begin(), list.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
  }
  return most;
}

}  // namespace

void apply_quantisation(const QuantScheme& scheme, Model& model) {
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    mark(scheme, model.layers[i].weights, {fmt::format("layers.{}.", i)});
  const std::size_t after = model.layers.size();
  for (std::size_t i = 0; i < model.mtp_layers.size(); ++i) {
    mark(scheme, model.mtp_layers[i].weights, {fmt::format("mtp.layers.{}.", i), fmt::format("layers.{}.", after + i)});
  }
  QuantScheme plain;
  plain.plain = scheme.plain;
  const bool everything =
      !scheme.rules.empty() && scheme.rules.back().reach == QuantReach::everything && scheme.rules.back().all;
  for (auto* list : {&model.embedding, &model.head}) mark(everything ? scheme : plain, *list, {""});
  for (auto* list : {&model.final_norm, &model.mtp_extra, &model.vision, &model.buffers}) mark(plain, *list, {""});
  model.stored = by_role(model);
  model.stored_embedding = model.embedding.empty() ? scheme.plain : model.embedding.front().stored;
  model.stored_head = model.tied_embeddings ? model.stored_embedding : model.head.front().stored;
  if (model.tied_embeddings) {
    for (Weight& weight : model.head) {
      if (weight.role != WeightRole::bias) weight.stored = model.stored_embedding;
    }
  }
  model.kv_dtype = scheme.kv_dtype;
}

}  // namespace waferline::models
