#include "report/deadline.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::report;

namespace {

estimate::DeadlineQuestion question() {
  estimate::DeadlineQuestion asked;
  asked.request.deadline = Seconds{10};
  asked.request.overhead = Seconds{1};
  asked.request.answer_tokens = 500;
  asked.systems = {{"slow", TokensPerSecond{50}, {}, {}, "given", {}},
                   {"fast", TokensPerSecond{1000}, TokensPerSecond{800}, TokensPerSecond{1200}, "estimate", {}}};
  return asked;
}

std::string text_of(const estimate::DeadlineQuestion& asked) {
  return joined(deadline_text(estimate::study_deadline(asked), {200, false}));
}

}  // namespace

TEST_CASE("what is undefined or out of reach is null in the document and said in words") {
  const estimate::DeadlineStudy study = estimate::study_deadline(question());
  const auto json = nlohmann::json::parse(deadline_json(study));
  CHECK(json["systems"][1]["ratio_to_baseline"].is_null());
  CHECK(json["systems"][1]["speedup_needed"].is_null());
  CHECK(json["systems"][1]["loop_seconds"].is_null());
  CHECK(json["thresholds"]["times_budget_tokens_per_s"].is_null());
  CHECK_FALSE(json["systems"][0]["in_time"].get<bool>());
  const std::string text = joined(deadline_text(study, {80, false}));
  CHECK(text.find("late") != std::string::npos);
  CHECK(text.find("it has none, so no multiple is more") != std::string::npos);
}

TEST_CASE("a cap that forbids the multiple is named") {
  estimate::DeadlineQuestion asked = question();
  asked.baseline = 1;
  asked.request.completion_cap = 9000;
  CHECK(text_of(asked).find("exceeds the completion cap: no speed reaches it") != std::string::npos);
  CHECK(text_of(asked).find("8,500 (cap)") == std::string::npos);
  asked.request.completion_cap = 5000;
  CHECK(text_of(asked).find("4,500 (cap)") != std::string::npos);
}

TEST_CASE("the band of an estimate shows as a band of the budget") {
  CHECK(text_of(question()).find("6,700 to 10,300") != std::string::npos);
  const auto json = nlohmann::json::parse(deadline_json(estimate::study_deadline(question())));
  CHECK(json["systems"][1]["reasoning_tokens_low"].get<double>() == Approx(6700));
  CHECK_FALSE(json["systems"][0].contains("reasoning_tokens_low"));
}
