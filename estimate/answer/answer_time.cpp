// Follows: docs/model/60-serving.md, F94 and F95.
#include "estimate/answer/answer_time.hpp"

#include <fmt/format.h>

#include <cmath>

#include "arch/error.hpp"
#include "estimate/pass_time.hpp"
#include "models/kv.hpp"

namespace waferline::estimate {
namespace {

Bytes kept_bytes(const models::Model& model, std::int64_t tokens) {
  const models::KvFigures kv = models::kv_figures(model, tokens, model.kv_dtype);
  return kv.at_context + kv.index_at_context + kv.state;
}

SecondsBand operator+(const SecondsBand& band, Seconds time) {
  return {band.low + time, band.expected + time, band.high + time};
}

SecondsBand operator+(const SecondsBand& a, const SecondsBand& b) {
  return {a.low + b.low, a.expected + b.expected, a.high + b.high};
}

SecondsBand operator*(const SecondsBand& band, double factor) {
  return {band.low * factor, band.expected * factor, band.high * factor};
}

}  // namespace

KvTransfer move_kv(const models::Model& model, const PrefillRequest& request, const KvLink& link) {
  if (!(link.bandwidth.value > 0) || !(link.latency.value >= 0)) {
    throw ConfigError(fmt::format("--link: {} B/s and {} s, permitted are more than 0 and 0 or more",
                                  link.bandwidth.value, link.latency.value));
  }
  KvTransfer transfer;
  transfer.bytes = kept_bytes(model, request.new_tokens());
  transfer.time = link.latency + transfer.bytes / link.bandwidth;
  return transfer;
}

std::int64_t mean_context(const AnswerRequest& request) {
  return request.prefill.prompt_tokens + request.output_tokens / 2;
}

DecodeTimes decode_times(const PlacedModel& placed, const DecodeEstimate& decode, const AnswerRequest& request) {
  const std::int64_t longest = request.prefill.prompt_tokens + request.output_tokens;
  if (longest > placed.placement.max_context_tokens) {
    throw DoesNotFit(
        fmt::format("--prompt-tokens, --output-tokens: {} tokens together, at most {} fit into the cache "
                    "(see --wafers)",
                    longest, placed.placement.max_context_tokens));
  }
  const mapping::LayerKinds kinds = mapping::group_layers(placed.model);
  const PassInputs inputs{placed.model, kinds, placed.placement, {decode.request.batch, mean_context(request), 1}};
  const PassTime pass = time_pass(inputs, placed.wafer, placed.software);
  const Seconds fixed = placed.software.fixed_per_token.value;
  const Seconds tpot = pass.total() / decode.request.accepted_tokens + fixed;
  const double stretch = tpot / decode.tpot.expected;
  DecodeTimes times;
  times.tpot = decode.tpot * stretch;
  times.first_token = pass.by_cause[Cause::lm_head_and_sampling] + fixed;
  return times;
}

AnswerTime answer_time(const AnswerRequest& request, PrefillEstimate prefill, const std::optional<KvTransfer>& transfer,
                       Seconds first_token, SecondsBand tpot, double accepted_tokens) {
  if (request.output_tokens < 1) {
    throw ConfigError(fmt::format("--output-tokens: is {}, permitted is 1 or more", request.output_tokens));
  }
  AnswerTime answer;
  answer.request = request;
  answer.transfer = transfer;
  answer.first_token = first_token;
  answer.tpot = tpot;
  answer.mean_context_tokens = mean_context(request);
  answer.ttft = prefill.time + (request.queue + (transfer ? transfer->time : Seconds{}) + first_token);
  answer.end_to_end = answer.ttft + tpot * static_cast<double>(request.output_tokens - 1);
  answer.tokens_per_stream_chunk = accepted_tokens;
  answer.stream_chunk_gap = tpot.expected * accepted_tokens;
  answer.longest_token_gap = tpot.expected + (transfer ? Seconds{} : prefill.chunk_way);
  answer.prefill = std::move(prefill);
  return answer;
}

}  // namespace waferline::estimate
