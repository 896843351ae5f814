#include "estimate/answer/answer_time.hpp"

#include <cmath>

#include "arch/error.hpp"
#include "estimate/answer/answer_cost.hpp"
#include "estimate/answer/speculation_wafer.hpp"
#include "models/kv.hpp"
#include "models/library.hpp"
#include "models/overrides.hpp"
#include "tests/support/catch.hpp"

namespace waferline::estimate {
namespace {

struct Placed {
  models::Model model;
  Wafer wafer = load_wafer("wse3");
  SoftwareProfile software = load_software("service-2024");
  DecodeRequest request;
  DecodeEstimate decode;

  explicit Placed(const char* name, std::optional<std::int64_t> wafers = {}) : model(models::load_model(name)) {
    request.context_tokens = 8192;
    request.wafers = wafers;
    decode = estimate_decode(model, wafer, software, request);
  }
  PlacedModel placed() const { return {model, wafer, software, decode.placement}; }
};

AnswerTime made_answer(std::int64_t output, const std::optional<KvTransfer>& transfer = {}) {
  PrefillEstimate prefill;
  prefill.time = {Seconds{0.08}, Seconds{0.1}, Seconds{0.2}};
  prefill.busiest_stage = Seconds{0.06};
  prefill.chunk_way = Seconds{0.03};
  prefill.chunks = 4;
  return answer_time({{1000, 0, {}}, output, Seconds{0.5}}, prefill, transfer, Seconds{0.002},
                     {Seconds{0.0008}, Seconds{0.001}, Seconds{0.002}}, 2);
}

}  // namespace

TEST_CASE("TTFT is queue, prefill and first token; end to end adds a TPOT for each further token") {
  const AnswerTime answer = made_answer(501);
  CHECK(answer.ttft.expected.value == Approx(0.5 + 0.1 + 0.002));
  CHECK(answer.end_to_end.expected.value == Approx(0.602 + 500 * 0.001));
  CHECK(answer.end_to_end.low.value == Approx(0.582 + 500 * 0.0008));
  CHECK(answer.end_to_end.high.value == Approx(0.702 + 500 * 0.002));
  CHECK(made_answer(1).end_to_end.expected == made_answer(1).ttft.expected);
  CHECK_THROWS_AS(made_answer(0), ConfigError);
}

TEST_CASE(
    "Chunks of a stream hold the tokens of a pass, and a prompt delays others by a chunk unless it runs elsewhere") {
  const AnswerTime answer = made_answer(501);
  CHECK(answer.stream_chunk_gap.value == Approx(0.002));
  CHECK(answer.longest_token_gap.value == Approx(0.001 + 0.03));
  const AnswerTime elsewhere = made_answer(501, KvTransfer{Bytes{1000}, Seconds{0.25}});
  CHECK(elsewhere.ttft.expected.value == Approx(answer.ttft.expected.value + 0.25));
  CHECK(elsewhere.longest_token_gap.value == Approx(0.001));
}

TEST_CASE("The cache of a prompt moves whole over a link, without what is already there") {
  // Llama 3.1 8B: 32 layers x 8 heads x 2 x 128 x 2 B = 131,072 B a token.
  const models::Model model = models::load_model("llama-3.1-8b");
  const KvLink link{BytesPerSecond{1e9}, Seconds{0.001}};
  const KvTransfer whole = move_kv(model, {4000, 0, {}}, link);
  CHECK(whole.bytes.value == 4000 * 131'072);
  CHECK(whole.time.value == Approx(0.001 + 0.524288));
  CHECK(move_kv(model, {4000, 1000, {}}, link).bytes.value == 3000 * 131'072);
  CHECK_THROWS_AS(move_kv(model, {4000, 0, {}}, {BytesPerSecond{0}, Seconds{}}), ConfigError);
  // A window moves once, a recurrent state whatever the prompt.
  const models::Model hybrid = models::load_model("qwen3-next-80b-a3b");
  const Bytes state = models::kv_figures(hybrid, 1, hybrid.kv_dtype).state;
  CHECK(state > Bytes{0});
  CHECK(move_kv(hybrid, {1, 0, {}}, link).bytes > state);
}

TEST_CASE("Tokens of an answer are decoded at its mean context, and what does not fit is refused") {
  const Placed on("llama-3.1-8b");
  const AnswerRequest request{{4000, 0, {}}, 2000, Seconds{}};
  const DecodeTimes times = decode_times(on.placed(), on.decode, request);
  CHECK(mean_context(request) == 5000);
  CHECK(times.tpot.expected < on.decode.tpot.expected);  // 8,192 tokens there
  CHECK(times.tpot.low < times.tpot.expected);
  CHECK(times.tpot.expected < times.tpot.high);
  CHECK(times.first_token > Seconds{});
  const std::int64_t longest = on.decode.placement.max_context_tokens;
  CHECK_NOTHROW(decode_times(on.placed(), on.decode, {{longest - 10, 0, {}}, 10, Seconds{}}));
  CHECK_THROWS_AS(decode_times(on.placed(), on.decode, {{longest - 10, 0, {}}, 11, Seconds{}}), DoesNotFit);
}

TEST_CASE("Verifying more rows costs more, and without a draft the rate is that of the estimate") {
  const Placed on("llama-3.1-8b");
  SpeculationRequest request;
  request.draft = {DraftSource::stated, Seconds{50e-6}, "stated", 0};
  request.acceptance = {0.9, 0.8, 0.7};
  const SpeculationAnswer answer = study_speculation_on_wafers(on.placed(), 8192, request);
  REQUIRE(answer.study.choices.size() == 4);
  CHECK(answer.study.choices[0].rate.value == Approx(on.decode.tokens_per_s.expected));
  for (std::size_t k = 1; k < 4; ++k) {
    CHECK(answer.verification[k] > answer.verification[k - 1]);
    // In the pipeline a further row holds the slowest stage once, at most.
    CHECK((answer.verification[k] - answer.verification[k - 1]).value <= on.decode.slowest_stage.value * (1 + 1e-9));
  }
  CHECK(answer.study.choices[3].tokens_per_pass == Approx(1 + 0.9 + 0.72 + 0.504));
  request.acceptance = {0, 0};
  CHECK(study_speculation_on_wafers(on.placed(), 8192, request).study.best == 0);
}

TEST_CASE("A draft model must share the vocabulary, and a prediction layer must be there") {
  const Placed on("llama-3.1-70b");
  const DraftCost draft = draft_by_model(models::load_model("llama-3.1-8b"), on.placed(), 8192);
  CHECK(draft.wafers >= 1);
  CHECK(draft.token < on.decode.pass.expected);
  CHECK_THROWS_AS(draft_by_model(models::load_model("gemma-3-4b"), on.placed(), 8192), ConfigError);
  CHECK_THROWS_AS(draft_by_mtp_head(on.placed(), 8192), ConfigError);
}

TEST_CASE("A prediction layer drafts in far less than a pass") {
  // On the 20 wafers that take the model alone the layer finds no room.
  CHECK_THROWS_AS(draft_by_mtp_head(Placed("deepseek-v3", 20).placed(), 8192), DoesNotFit);
  const Placed on("deepseek-v3", 21);
  const DraftCost draft = draft_by_mtp_head(on.placed(), 8192);
  CHECK(draft.token > Seconds{});
  CHECK(draft.token < on.decode.pass.expected / 5);
}

TEST_CASE("Dollars and joules are time and tokens times what was stated") {
  CostRates rates{0.75, 36.0, Watts{20'000}};
  const AnswerCost cost = answer_cost(made_answer(501), rates, 4, {8, Seconds{0.0001}});
  CHECK(*cost.usd_by_price == Approx(501 * 0.75 / 1e6));
  CHECK(cost.alone.system_time.value == Approx(4 * 1.102));
  CHECK(*cost.alone.usd == Approx(4 * 1.102 * 0.01));
  CHECK(*cost.alone.joules == Approx(4 * 1.102 * 20'000));
  CHECK(cost.busy.system_time.value == Approx(4 * (0.06 + 501 * 0.0001)));
  // Prefill elsewhere is not this system's time.
  const AnswerTime elsewhere = made_answer(501, KvTransfer{Bytes{1000}, Seconds{0.25}});
  CHECK(answer_cost(elsewhere, rates, 4, {8, Seconds{0.0001}}).busy.system_time.value == Approx(4 * 501 * 0.0001));
  CHECK_FALSE(answer_cost(made_answer(501), {0.75, {}, {}}, 4, {}).alone.usd);
  CHECK_THROWS_AS(answer_cost(made_answer(501), {-1.0, {}, {}}, 4, {}), ConfigError);
  CHECK_THROWS_AS(answer_cost(made_answer(501), {{}, {}, Watts{-1}}, 4, {}), ConfigError);
}

TEST_CASE("A pipeline is busiest with a user for each stage of the slowest one's length, no more than fit") {
  const Placed on("llama-3.1-8b");
  const BusyShare busy = busy_share(on.decode);
  CHECK(busy.users >= 1);
  CHECK(busy.users <= static_cast<double>(on.decode.placement.max_users));
  CHECK(busy.time_per_token >= on.decode.slowest_stage * (1 - 1e-12));
}

}  // namespace waferline::estimate
