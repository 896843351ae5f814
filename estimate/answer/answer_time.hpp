#pragma once
// From a request to its last token: queue, prefill, cache on its way, first token, further tokens.

#include <cstdint>
#include <optional>

#include "estimate/answer/prefill.hpp"
#include "estimate/wafer.hpp"

namespace waferline::estimate {

struct AnswerRequest {
  PrefillRequest prefill;
  std::int64_t output_tokens = 1;
  Seconds queue;
};

/// The link over which a cache moves from where the prompt ran to where its answer is decoded.
struct KvLink {
  BytesPerSecond bandwidth;
  Seconds latency;
};

struct KvTransfer {
  Bytes bytes;
  Seconds time;  ///< latency + bytes / bandwidth; nothing of it overlaps with prefill
};

/// Cache and recurrent state of the new tokens of a prompt over a link. Model: F94. A cached prefix does not move: it
/// is where the answer is decoded too. Errors: ConfigError for a bandwidth that is not positive or a negative latency.
KvTransfer move_kv(const models::Model& model, const PrefillRequest& request, const KvLink& link);

struct AnswerTime {
  AnswerRequest request;
  PrefillEstimate prefill;
  std::optional<KvTransfer> transfer;  ///< nothing: prefill where the answer is decoded
  Seconds first_token;                 ///< head, sampling and what is spent once for each token
  SecondsBand ttft;                    ///< queue + prefill + transfer + first token
  SecondsBand tpot;                    ///< at the mean context of the answer
  std::int64_t mean_context_tokens = 0;
  SecondsBand end_to_end;              ///< TTFT + (output tokens - 1) TPOT
  double tokens_per_stream_chunk = 1;  ///< that a client receives at once: those of a pass
  Seconds stream_chunk_gap;            ///< between them: that many times TPOT
  Seconds longest_token_gap;  ///< of another user who decodes while this prompt runs on the same system, at most
};

/// Joins the parts. Model: F95. `decode_tpot` is at the mean context.
AnswerTime answer_time(const AnswerRequest& request, PrefillEstimate prefill, const std::optional<KvTransfer>& transfer,
                       Seconds first_token, SecondsBand tpot, double accepted_tokens);

/// Tokens in the cache when the mean token of the answer is decoded.
std::int64_t mean_context(const AnswerRequest& request);

/// Time per token and of the first token on wafers at that context, on the placement of `decode`; its band is that of
/// `decode` in proportion. Errors: DoesNotFit if prompt and output exceed the longest context of the placement.
struct DecodeTimes {
  SecondsBand tpot;
  Seconds first_token;
};
DecodeTimes decode_times(const PlacedModel& placed, const DecodeEstimate& decode, const AnswerRequest& request);

}  // namespace waferline::estimate
