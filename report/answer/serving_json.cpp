#include <nlohmann/json.hpp>

#include "report/answer/serving.hpp"
#include "report/json_parts.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using namespace estimate;

Json percentiles_json(const Percentiles& of) {
  return {{"p50", of.p50}, {"p90", of.p90}, {"p99", of.p99}, {"mean", of.mean}};
}

Json summary_json(const ServingSummary& summary) {
  Json json;
  json["served"] = summary.served;
  json["refused"] = summary.refused;
  json["ttft_s"] = percentiles_json(summary.ttft_s);
  json["tpot_s"] = percentiles_json(summary.tpot_s);
  json["end_to_end_s"] = percentiles_json(summary.end_to_end_s);
  json["tokens_per_s_per_user"] = percentiles_json(summary.tokens_per_s_per_user);
  json["output_tokens_per_s"] = summary.output_tokens_per_s;
  json["requests_per_s"] = summary.requests_per_s;
  json["prefill_utilisation"] = summary.prefill_utilisation;
  json["decode_utilisation"] = summary.decode_utilisation;
  json["mean_decoding_users"] = summary.mean_decoding_users;
  return json;
}

}  // namespace

std::string serving_json(const ServingAnswer& answer) {
  Json json = document();
  const bool stated = answer.wafers == 0;
  const auto of_estimate = [&](Json value) { return stated ? Json(nullptr) : value; };
  json["inputs"] = {{"model", of_estimate(answer.model)},
                    {"system", answer.system},
                    {"software", of_estimate(answer.software)},
                    {"wafers", of_estimate(answer.wafers)},
                    {"workload", answer.workload},
                    {"context_tokens", of_estimate(answer.context_tokens)},
                    {"prefill", answer.prefill_source}};
  json["system"] = {{"pass_s", answer.pass.value},
                    {"slowest_stage_s", answer.slowest_stage.value},
                    {"max_users", answer.serving.token_time.size()},
                    {"kv_capacity_tokens", answer.serving.kv_capacity_tokens}};
  json["summary"] = summary_json(answer.summary);
  json["curve"] = Json::array();
  for (const LoadPoint& point : answer.curve) {
    json["curve"].push_back(
        {{"offered_requests_per_s", point.requests_per_s}, {"summary", summary_json(point.summary)}});
  }
  return dumped(json);
}

}  // namespace waferline::report
