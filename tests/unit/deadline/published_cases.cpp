#include "estimate/deadline.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::estimate;

namespace {

constexpr TokensPerSecond median_endpoint{170.7};
constexpr TokensPerSecond second_fastest{701.3};
constexpr TokensPerSecond fastest{1790.3};

DeadlineRequest request(double deadline_s, double overhead_s, std::int64_t answer_tokens) {
  DeadlineRequest made;
  made.deadline = Seconds{deadline_s};
  made.overhead = Seconds{overhead_s};
  made.answer_tokens = answer_tokens;
  return made;
}

/// "budget of the baseline, of the fast one, their ratio, needed for 4 times, observed speed-up" as the essay prints
/// them.
std::string printed_case(const DeadlineRequest& asked, TokensPerSecond baseline) {
  DeadlineQuestion question;
  question.request = asked;
  question.systems = {{"baseline", baseline, {}, {}, "", {}}, {"fast", fastest, {}, {}, "", {}}};
  const DeadlineStudy study = study_deadline(question);
  return fmt::format("{:.0f} {:.0f} {:.2f} {:.2f} {:.2f}", study.outcomes[0].reasoning_tokens,
                     study.outcomes[1].reasoning_tokens, *study.outcomes[1].ratio, *study.speedup_for_times,
                     study.outcomes[1].speedup);
}

}  // namespace

TEST_CASE("the four published deadline cases come out to every printed digit") {
  CHECK(printed_case(request(2, 0.5, 100), second_fastest) == "952 2585 2.72 3.71 2.55");
  CHECK(printed_case(request(10, 1, 500), second_fastest) == "5812 15613 2.69 3.76 2.55");
  CHECK(printed_case(request(10, 1, 500), median_endpoint) == "1036 15613 15.07 3.02 10.49");
}

TEST_CASE("the published capped case comes out to every printed digit once its median is taken before rounding") {
  DeadlineRequest capped = request(60, 1, 1000);
  capped.completion_cap = 40960;
  // The essay prints a median of 170.7 and a budget of 9,070. 170.7 itself gives 9,071.3; a median of 170.68, which
  // prints as 170.7, gives every digit of this case and of the other two cases and the loop that use it.
  CHECK(printed_case(capped, median_endpoint) == "9071 39960 4.41 3.70 10.49");
  CHECK(printed_case(capped, TokensPerSecond{170.68}) == "9070 39960 4.41 3.70 10.49");
  CHECK(printed_case(request(10, 1, 500), TokensPerSecond{170.68}) == "1036 15613 15.07 3.02 10.49");
}

TEST_CASE("the published agent loop comes out to every printed digit") {
  const AgentLoop loop{8, Seconds{0.75}, 1000, Seconds{1.5}};
  CHECK(fmt::format("{:.1f}", loop_time(loop, median_endpoint).value) == "64.9");
  CHECK(fmt::format("{:.1f}", loop_time(loop, fastest).value) == "22.5");
  CHECK(fmt::format("{:.0f}", rate_for_loop(loop, Seconds{30})->value) == "667");
}
