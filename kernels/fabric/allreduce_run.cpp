#include "kernels/fabric/allreduce_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/fabric/sweep.hpp"

namespace waferline::kernels::fabric {
namespace {

/// Reference results and the scale of their rounding, [line][word].
struct Reference {
  std::vector<double> result;
  std::vector<double> magnitude;
};

Reference fill(const AllreduceQuestion& question, FabricMemory& memory) {
  const Lineup& lineup = question.lineup;
  const auto values = static_cast<std::size_t>(lineup.lines * lineup.words);
  const bool sums = question.combine == Combine::sum;
  Reference reference{std::vector<double>(values, sums ? 0 : -HUGE_VAL), std::vector<double>(values)};
  std::minstd_rand random(question.seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::int64_t line = 0; line < lineup.lines; ++line) {
    for (std::int64_t position = 0; position < lineup.positions; ++position) {
      for (std::int64_t word = 0; word < lineup.words; ++word) {
        const float value = uniform(random);
        memory.at(line, position, word) = value;
        const auto at = static_cast<std::size_t>(line * lineup.words + word);
        reference.result[at] = sums ? reference.result[at] + value : std::max<double>(reference.result[at], value);
        reference.magnitude[at] += std::abs(value);
      }
    }
  }
  return reference;
}

double largest_error(const AllreduceQuestion& question, const FabricMemory& memory, const Reference& reference,
                     std::int64_t root) {
  const Lineup& lineup = question.lineup;
  const bool everywhere = !question.to_root || question.plan.algorithm == Algorithm::ring;
  const std::int64_t first = everywhere ? 0 : root;
  const std::int64_t last = everywhere ? lineup.positions - 1 : root;
  double error = 0;
  for (std::int64_t line = 0; line < lineup.lines; ++line) {
    for (std::int64_t position = first; position <= last; ++position) {
      for (std::int64_t word = 0; word < lineup.words; ++word) {
        const auto at = static_cast<std::size_t>(line * lineup.words + word);
        const double off = std::abs(static_cast<double>(memory.at(line, position, word)) - reference.result[at]);
        error = std::max(error, off / std::max(reference.magnitude[at], 1e-30));
      }
    }
  }
  return error;
}

SteppedAllreduce step_wavelets(const AllreduceQuestion& question, std::int64_t root) {
  const FabricProgram program =
      question.to_root ? compile_reduce(question.plan, question.lineup, question.timing, question.combine)
                       : compile_allreduce(question.plan, question.lineup, question.timing, question.combine);
  FabricMemory memory(program.lines, program.positions(), program.words);
  const Reference reference = fill(question, memory);
  SteppedAllreduce stepped;
  const auto start = std::chrono::steady_clock::now();
  stepped.run = run(program, memory, question.threads);
  stepped.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  stepped.largest_error = largest_error(question, memory, reference, root);
  return stepped;
}

std::int64_t sweep(const AllreduceQuestion& question) {
  const Lineup& lineup = question.lineup;
  const LineSweep::Kind kind = question.to_root ? LineSweep::Kind::reduce : LineSweep::Kind::allreduce;
  const LineSweep line(kind, question.plan, lineup.positions, lineup.words, question.timing);
  std::vector<std::int32_t> times(static_cast<std::size_t>(lineup.lines * lineup.positions));
  advance_rectangle(line, Axis::x, {lineup.lines, lineup.positions}, times, question.threads);
  return *std::max_element(times.begin(), times.end());
}

}  // namespace

bool AllreduceAnswer::agrees() const {
  const auto closed = static_cast<std::int64_t>(std::llround(closed_form.value));
  return swept_cycles == closed && (!stepped || stepped->run.cycles == closed);
}

AllreduceAnswer run_allreduce(const AllreduceQuestion& question) {
  const CollectiveRates rates = question.timing.rates();
  const Lineup& lineup = question.lineup;
  // Checks sizes and timing before anything is reserved.
  (void)compile_reduce(question.plan, {lineup.positions, lineup.lines, lineup.words}, question.timing,
                       question.combine);
  AllreduceAnswer answer;
  answer.counts = question.to_root ? count_reduce(question.plan, lineup.positions, lineup.words, rates)
                                   : count_allreduce(question.plan, lineup.positions, lineup.words, rates);
  answer.root = root_index(question.plan, lineup.positions);
  answer.closed_form = time(answer.counts, rates);
  answer.swept_cycles = sweep(question);
  if (question.step_wavelets) answer.stepped = step_wavelets(question, answer.root);
  return answer;
}

}  // namespace waferline::kernels::fabric
