#include "traces/run/run_trace.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/recorded/small_run.hpp"

using namespace waferline;
using namespace waferline::traces;
using namespace waferline::tests;

namespace {

struct Kept {
  std::string region;
  std::int64_t pass;
  double start;
  double cycles;
  std::vector<double> busy;
};

class Keep : public TraceSink {
 public:
  explicit Keep(std::vector<Kept>& to) : to_(to) {}
  void write(const TracedStep& step) override {
    to_.push_back({std::string(step.region),
                   step.pass,
                   step.start.value,
                   step.cycles.value,
                   {step.busy_cycles.begin(), step.busy_cycles.end()}});
  }
  void finish() override {}

 private:
  std::vector<Kept>& to_;
};

/// Fails at its third step, as a full disk does.
class Fails : public TraceSink {
 public:
  explicit Fails(int& writes) : writes_(writes) {}
  void write(const TracedStep&) override {
    if (++writes_ == 3) throw ConfigError("x.h5: cannot be written: no space left");
  }
  void finish() override { throw ConfigError("finished after a failure"); }

 private:
  int& writes_;
};

}  // namespace

TEST_CASE("steps follow each other, each with its region, its pass and its cycles") {
  std::vector<Kept> steps;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<Keep>(steps));
  record_small_run(recorder);
  REQUIRE(steps.size() == 10);
  double now = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i].pass == static_cast<std::int64_t>(i / 5));
    CHECK(steps[i].start == now);
    now += steps[i].cycles;
  }
  CHECK(now == 232);
  CHECK(steps[1].region == "layer 0");
  CHECK(steps[2].region == "layer 1");
  CHECK(steps[9].region == "head");
}

TEST_CASE("a PE is busy for its own work, and in a communication for the wavelets on its ramp") {
  std::vector<Kept> steps;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<Keep>(steps));
  record_small_run(recorder);
  CHECK(steps[0].cycles == 30);
  CHECK(steps[0].busy == std::vector<double>{20, 22, 24, 26, 28, 30});
  CHECK(steps[1].cycles == 20);
  CHECK(steps[1].busy == std::vector<double>{8, 8, 8, 8, 8, 8});
  CHECK(steps[4].cycles == 16);
  CHECK(steps[4].busy == std::vector<double>{16, 16, 16, 16});
}

TEST_CASE("no PE is busy for longer than its step takes") {
  SmallStep step = small_reduction();
  step.step().traffic.payload_slots = 0;
  std::vector<Kept> steps;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<Keep>(steps));
  step.pes.add(PeField::sent, 0, 0, 1000);
  recorder.record(step.recorded());
  CHECK(steps[0].cycles == 12);
  CHECK(steps[0].busy[0] == 12);
  CHECK(steps[0].busy[1] == 8);
}

TEST_CASE("a file that cannot be written is told of, and the others go on") {
  std::vector<Kept> steps;
  int writes = 0;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<Fails>(writes));
  recorder.add(std::make_unique<Keep>(steps));
  record_small_run(recorder);
  CHECK(steps.size() == 10);
  CHECK(writes == 3);
  CHECK(recorder.problems() == std::vector<std::string>{"x.h5: cannot be written: no space left"});
}
