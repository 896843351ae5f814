#include <nlohmann/json.hpp>

#include "report/answer/whole_answer.hpp"
#include "report/json_parts.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using namespace estimate;

Json band_json(const SecondsBand& band) {
  return {{"low", band.low.value}, {"expected", band.expected.value}, {"high", band.high.value}};
}

Json prefill_json(const PrefillEstimate& prefill) {
  Json json{{"system", prefill.system},
            {"method", prefill.method == PrefillMethod::rows ? "rows" : "products"},
            {"new_tokens", prefill.new_tokens},
            {"chunk_tokens", prefill.chunk_tokens},
            {"chunks", prefill.chunks}};
  json["seconds"] = band_json(prefill.time);
  json["tokens_per_s"] = prefill.tokens_per_s();
  json["chunk_gap_s"] = prefill.chunk_gap.value;
  json["chunk_way_s"] = prefill.chunk_way.value;
  json["assumptions"] = Json::array();
  for (const Assumption& one : prefill.assumptions) {
    json["assumptions"].push_back({{"key", one.key}, {"value", one.value}, {"kind", one.kind}, {"source", one.source}});
  }
  json["notes"] = prefill.notes;
  return json;
}

Json time_json(const AnswerTime& time) {
  Json json{{"prompt_tokens", time.request.prefill.prompt_tokens},
            {"output_tokens", time.request.output_tokens},
            {"prefix_cached_tokens", time.request.prefill.cached_tokens},
            {"queue_s", time.request.queue.value}};
  json["prefill"] = prefill_json(time.prefill);
  json["kv_transfer"] = nullptr;
  if (time.transfer) {
    json["kv_transfer"] = {{"bytes", time.transfer->bytes.value}, {"seconds", time.transfer->time.value}};
  }
  json["first_token_s"] = time.first_token.value;
  json["ttft_s"] = band_json(time.ttft);
  json["mean_context_tokens"] = time.mean_context_tokens;
  json["tpot_s"] = band_json(time.tpot);
  json["end_to_end_s"] = band_json(time.end_to_end);
  json["gaps"] = {{"between_tokens_s", time.tpot.expected.value},
                  {"tokens_per_stream_chunk", time.tokens_per_stream_chunk},
                  {"between_stream_chunks_s", time.stream_chunk_gap.value},
                  {"longest_between_tokens_during_prefill_s", time.longest_token_gap.value}};
  return json;
}

Json speculation_json(const SpeculationAnswer& answer) {
  Json json{{"draft", answer.request.draft.what},
            {"drafted_token_s", answer.request.draft.token.value},
            {"draft_wafers", answer.request.draft.wafers},
            {"acceptance", answer.request.acceptance},
            {"fixed_per_token_s", answer.fixed_per_token.value}};
  json["choices"] = Json::array();
  for (std::size_t k = 0; k < answer.study.choices.size(); ++k) {
    const SpeculationChoice& choice = answer.study.choices[k];
    json["choices"].push_back({{"drafted", choice.drafted},
                               {"tokens_per_pass", choice.tokens_per_pass},
                               {"verification_s", answer.verification[k].value},
                               {"round_s", choice.round.value},
                               {"tokens_per_s", choice.rate.value}});
  }
  json["best_drafted"] = answer.study.choices[answer.study.best].drafted;
  return json;
}

Json share_json(const CostShare& share) {
  return {{"wafer_seconds", share.system_time.value}, {"usd", or_null(share.usd)}, {"joules", or_null(share.joules)}};
}

Json cost_json(const AnswerCost& cost) {
  Json json{{"usd_by_price", or_null(cost.usd_by_price)}, {"wafers", cost.wafers}};
  json["alone"] = share_json(cost.alone);
  json["busy"] = share_json(cost.busy);
  json["users_when_busy"] = cost.users_when_busy;
  json["energy_kind"] = cost.rates.watts ? Json("nameplate") : Json(nullptr);
  return json;
}

}  // namespace

void add_whole_answer(const WholeAnswer& answer, Json& json) {
  if (answer.time) {
    json["answer"] = time_json(*answer.time);
    json["answer"]["prefill_where"] = answer.prefill_where;
    json["answer"]["gpus"] = Json::array();
    for (const GpuAnswerTime& gpu : answer.gpus) {
      Json one{{"system", gpu.system}, {"problem", gpu.time ? Json(nullptr) : Json(gpu.problem)}};
      one["time"] = gpu.time ? time_json(*gpu.time) : Json(nullptr);
      json["answer"]["gpus"].push_back(std::move(one));
    }
  }
  if (answer.speculation) json["speculation"] = speculation_json(*answer.speculation);
  if (answer.cost) json["cost"] = cost_json(*answer.cost);
}

}  // namespace waferline::report
