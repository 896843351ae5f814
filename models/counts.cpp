#include "models/counts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/weights.hpp"

namespace waferline::models {
namespace {

/// Adds up to the limit and stays just above it.
void add_bounded(std::int64_t& sum, const std::vector<Weight>& weights) {
  sum = std::min(sum + bounded_elements(weights), kMostParameters + 1);
}

template <class Visit>
void for_each_list(const Model& model, Visit visit) {
  for (const Layer& layer : model.layers) visit(layer.weights);
  for (const Layer& layer : model.mtp_layers) visit(layer.weights);
  for (const auto* list :
       {&model.embedding, &model.head, &model.final_norm, &model.mtp_extra, &model.vision, &model.buffers})
    visit(*list);
}

}  // namespace

void refuse_oversized(const Model& model, Problems& problems) {
  std::int64_t sum = 0;
  for_each_list(model, [&sum](const std::vector<Weight>& weights) { add_bounded(sum, weights); });
  if (sum > kMostParameters) {
    problems.add(0, "",
                 fmt::format("the sizes make a model of more than {} parameters, which is beyond what is read here",
                             kMostParameters));
  }
  problems.throw_if_any();
}

void count_parameters(Model& model) {
  ParameterCounts counts;
  for (const Layer& layer : model.layers) counts.decoder += elements(layer.weights);
  counts.decoder += elements(model.final_norm);
  counts.embedding = elements(model.embedding);
  for (const Weight& weight : model.head) {
    if (!model.tied_embeddings || weight.role == WeightRole::bias)
      counts.head += weight.elements();  // a bias of its own is stored even when tied
  }
  for (const Layer& layer : model.mtp_layers) counts.mtp += elements(layer.weights);
  counts.mtp += elements(model.mtp_extra);
  counts.vision = elements(model.vision);
  counts.buffers = elements(model.buffers);
  for_each_list(model, [&counts](const std::vector<Weight>& weights) { counts.scales += scale_elements(weights); });
  model.parameters = counts;
}

}  // namespace waferline::models
