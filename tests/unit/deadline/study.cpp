#include <limits>

#include "arch/error.hpp"
#include "estimate/deadline.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::estimate;

namespace {

DeadlineQuestion two_systems() {
  DeadlineQuestion question;
  question.request.deadline = Seconds{10};
  question.request.overhead = Seconds{1};
  question.request.answer_tokens = 500;
  question.systems = {{"slow", TokensPerSecond{100}, {}, {}, "given", {}},
                      {"fast", TokensPerSecond{1000}, TokensPerSecond{800}, TokensPerSecond{1200}, "given", 0.75}};
  return question;
}

}  // namespace

TEST_CASE("a budget that is used up ends at the deadline, and tools and checks take their time from it") {
  DeadlineQuestion question = two_systems();
  question.request.tool_time = Seconds{1.5};
  question.request.check_time = Seconds{0.5};
  const DeadlineStudy study = study_deadline(question);
  CHECK(study.outcomes[0].reasoning_tokens == Approx(200));
  CHECK(study.outcomes[1].reasoning_tokens == Approx(6500));
  CHECK(study.outcomes[1].completion.value == Approx(10));
  CHECK(study.outcomes[0].in_time);
  CHECK_FALSE(study.outcomes[0].capped);
}

TEST_CASE("an answer is just in time at its threshold rate and late below it") {
  DeadlineQuestion question = two_systems();
  const double needed = study_deadline(question).thresholds.answer->value;
  CHECK(needed == Approx(500.0 / 9));
  question.systems[0].rate = TokensPerSecond{needed * 1.0000001};
  CHECK(study_deadline(question).outcomes[0].in_time);
  question.systems[0].rate = TokensPerSecond{needed * 0.9999999};
  const DeadlineOutcome late = study_deadline(question).outcomes[0];
  CHECK_FALSE(late.in_time);
  CHECK(late.reasoning_tokens == 0);
  CHECK(late.completion > Seconds{10});
}

TEST_CASE("without a budget of the baseline there is no ratio to it and no speed-up for a multiple") {
  DeadlineQuestion question = two_systems();
  question.systems[0].rate = TokensPerSecond{50};
  const DeadlineStudy study = study_deadline(question);
  CHECK_FALSE(study.outcomes[1].ratio);
  CHECK_FALSE(study.speedup_for_times);
  CHECK_FALSE(study.thresholds.times_budget);
}

TEST_CASE("a completion cap exactly as large as the multiple can be reached, one token less cannot") {
  DeadlineQuestion question = two_systems();  // budget of the baseline 400, four times that 1,600
  question.request.completion_cap = 2100;
  const DeadlineStudy reached = study_deadline(question);
  REQUIRE(reached.speedup_for_times);
  CHECK(*reached.speedup_for_times == Approx(2100.0 / 900));
  CHECK(reached.thresholds.cap->value == Approx(2100.0 / 9));
  CHECK(reached.outcomes[1].capped);
  CHECK(reached.outcomes[1].reasoning_tokens == 1600);
  question.request.completion_cap = 2099;
  const DeadlineStudy beyond = study_deadline(question);
  CHECK_FALSE(beyond.speedup_for_times);
  CHECK_FALSE(beyond.thresholds.times_budget);
}

TEST_CASE("fixed times as long as the deadline leave no rate that makes it") {
  DeadlineQuestion question = two_systems();
  question.request.overhead = Seconds{10};
  question.loop = AgentLoop{4, Seconds{1}, 100, Seconds{1.5}};
  const DeadlineStudy study = study_deadline(question);
  CHECK_FALSE(study.thresholds.answer);
  CHECK_FALSE(study.thresholds.loop);
  CHECK(study.outcomes[1].reasoning_tokens == 0);
  CHECK_FALSE(study.outcomes[1].in_time);
}

TEST_CASE("branches side by side multiply tokens and cost but not the budget of one") {
  DeadlineQuestion question = two_systems();
  question.branches = 5;
  const DeadlineStudy study = study_deadline(question);
  CHECK(study.outcomes[1].reasoning_tokens == Approx(8500));
  CHECK(study.outcomes[1].total_tokens == Approx(45000));
  CHECK(*study.outcomes[1].usd == Approx(45000 * 0.75e-6));
  CHECK(*study.outcomes[1].usd_per_branch * static_cast<double>(study.question.branches) ==
        Approx(*study.outcomes[1].usd));
  CHECK_FALSE(study.outcomes[0].usd);
}

TEST_CASE("the band of an estimated rate becomes a band of the budget") {
  const DeadlineOutcome fast = study_deadline(two_systems()).outcomes[1];
  CHECK(*fast.reasoning_tokens_low == Approx(6700));
  CHECK(*fast.reasoning_tokens_high == Approx(10300));
}

TEST_CASE("sensitivity moves each input that is not zero by a fifth, and only that one") {
  const DeadlineStudy study = study_deadline(two_systems());
  REQUIRE(study.sensitivity.size() == 4);
  CHECK(study.sensitivity[0].key == "tokens_per_s");
  CHECK(study.sensitivity[0].budget_low[1] == Approx(0.8 * 1000 * 9 - 500));
  CHECK(study.sensitivity[1].key == "deadline");
  CHECK(study.sensitivity[1].budget_high[0] == Approx(100 * 11 - 500));
  CHECK(study.sensitivity[2].key == "overhead");
  CHECK(study.sensitivity[2].budget_low[0] == Approx(100 * 9.2 - 500));
  CHECK(study.sensitivity[3].key == "answer-tokens");
  CHECK(study.sensitivity[3].budget_high[0] == Approx(300));
}

TEST_CASE("a deadline question out of range is refused with its flag") {
  const auto refused = [](const auto& change, const char* text) {
    DeadlineQuestion question = two_systems();
    change(question);
    REQUIRE_THROWS_AS(study_deadline(question), ConfigError);
    CHECK_THROWS_WITH(study_deadline(question), Catch::Contains(text));
  };
  refused([](auto& q) { q.request.deadline = Seconds{0}; }, "--deadline");
  refused([](auto& q) { q.request.overhead = Seconds{-1}; }, "--overhead");
  refused([](auto& q) { q.request.check_time = Seconds{std::numeric_limits<double>::infinity()}; }, "--check-time");
  refused([](auto& q) { q.request.answer_tokens = -1; }, "--answer-tokens");
  refused([](auto& q) { q.request.completion_cap = 499; }, "--completion-cap: is 499, smaller than the 500");
  refused([](auto& q) { q.systems[1].rate = TokensPerSecond{0}; }, "fast is 0 tokens/s");
  refused([](auto& q) { q.systems[1].name = "slow"; }, "slow is given twice");
  refused([](auto& q) { q.systems.clear(); }, "no system is given");
  refused([](auto& q) { q.branches = 0; }, "--branches");
  refused([](auto& q) { q.times_budget = 0.5; }, "--times-budget");
  refused([](auto& q) { q.loop = AgentLoop{0, {}, 1, {}}; }, "--steps");
}
