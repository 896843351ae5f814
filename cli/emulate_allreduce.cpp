#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "arch/error.hpp"
#include "arch/wafer.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "report/allreduce.hpp"

namespace waferline::cli {
namespace {

using kernels::Algorithm;
using kernels::CollectivePlan;
using kernels::Root;
using kernels::fabric::AllreduceQuestion;

/// What the user asked for; defaults are shown in the help.
struct Request {
  std::int64_t lines = 1;
  std::int64_t pes = 512;
  std::int64_t wavelets = 32;
  std::string algorithm = "k-tree";
  std::optional<std::string> groups;
  std::string root = "middle";
  bool to_root = false;
  bool fabric = false;
  std::string system = "wse2";
  std::int64_t startup_cycles = 56;
  std::int64_t switch_cycles = 21;
  std::optional<std::int64_t> threads;
  std::int64_t seed = 1;
};

constexpr std::int64_t kMostBytes = std::int64_t{8}
                                    << 30;  // of vectors, so that a slip of the keyboard is no swap storm

int whole_cycles(const char* what, double cycles, const std::string& system) {
  if (cycles != std::floor(cycles) || cycles < 1 || cycles > 64) {
    throw ConfigError(fmt::format("--system: {}: {} of {} cycles (the fabric is stepped by whole ones, from 1 to 64)",
                                  system, what, cycles));
  }
  return static_cast<int>(cycles);
}

/// The given groups, with one more level if they do not cover the line by themselves.
CollectivePlan grouped(const std::vector<std::int64_t>& groups, std::int64_t pes, Root root) {
  CollectivePlan plan;
  plan.root = root;
  plan.levels = 0;
  std::int64_t items = pes;
  const auto add = [&](std::int64_t group) {
    if (plan.levels == CollectivePlan::kMaxLevels) {
      throw ConfigError(
          fmt::format("--groups: more than {} levels are needed for {} PEs", CollectivePlan::kMaxLevels, pes));
    }
    plan.groups[static_cast<std::size_t>(plan.levels++)] = group;
    items = ceil_div(items, group);
  };
  for (const std::int64_t group : groups) {
    if (group > items)
      throw ConfigError(fmt::format("--groups: {} (permitted: at most the {} items of that level)", group, items));
    add(group);
  }
  if (items > 1) add(items);
  return plan;
}

CollectivePlan plan_of(const Request& request, const AllreduceQuestion& question) {
  const Root root = request.root == "end" ? Root::end : Root::middle;
  const bool tree = request.algorithm == "k-tree";
  if (request.groups && !tree)
    throw ConfigError(fmt::format("--groups: given for a {} (only a k-tree has groups)", request.algorithm));
  if (request.algorithm == "chain") return {Algorithm::chain, root, 1, {}};
  if (request.algorithm == "star") return {Algorithm::star, root, 1, {}};
  if (request.algorithm == "ring") return {Algorithm::ring, Root::end, 1, {}};
  if (request.groups) return grouped(parse_integer_list("--groups", *request.groups, {1, 1 << 20}), request.pes, root);
  if (root == Root::end)
    throw ConfigError("--groups: is missing (the best sizes are looked for only with the root in the middle)");
  return kernels::best_plan(request.pes, request.wavelets, question.timing.rates());
}

AllreduceQuestion question_of(const Request& request) {
  const Wafer wafer = load_wafer(request.system);
  AllreduceQuestion question;
  question.lineup = {request.pes, request.lines, request.wavelets};
  question.timing.hop = whole_cycles("a hop", wafer.fabric.hop.value.value, request.system);
  question.timing.ramp = whole_cycles("a ramp", wafer.fabric.ramp.value.value, request.system);
  question.timing.startup = static_cast<int>(request.startup_cycles);
  question.timing.task_switch = static_cast<int>(request.switch_cycles);
  question.plan = plan_of(request, question);
  question.to_root = request.to_root;
  question.step_wavelets = request.fabric;
  question.seed = static_cast<std::uint32_t>(request.seed);
  const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  question.threads = static_cast<int>(request.threads.value_or(processors));
  const double bytes = 4.0 * static_cast<double>(request.pes) * static_cast<double>(request.lines) *
                       static_cast<double>(request.wavelets);
  if (request.fabric && bytes > static_cast<double>(kMostBytes)) {
    throw ConfigError(
        fmt::format("--wavelets: vectors of {:.3g} bytes in all (permitted with --fabric: {})", bytes, kMostBytes));
  }
  return question;
}

class EmulateAllreduce : public Command {
 public:
  void declare(Options& options) override {
    options.integer("--pes", request_.pes, {1, 1 << 20}, "PEs in each line");
    options.integer("--lines", request_.lines, {1, 1 << 20}, "lines side by side, all doing the same");
    options.integer("--wavelets", request_.wavelets, {1, 1 << 22}, "payload of every PE, of 32 bits each");
    options.one_of("--algorithm", request_.algorithm, {"k-tree", "chain", "star", "ring"}, "how a line reduces");
    options.text("--groups", "N,N", request_.groups,
                 "PEs, then group roots, in a group of each level (default: the fastest)");
    options.one_of("--root", request_.root, {"middle", "end"}, "where sums of a group meet");
    options.flag("--to-root", request_.to_root, "leave the result at the root: no multicast");
    options.flag("--fabric", request_.fabric, "move every wavelet through routers, cycle by cycle, and check the sums");
    options.text("--system", "NAME", request_.system, "wafer, for the cycles of hops and ramps");
    options.integer("--startup-cycles", request_.startup_cycles, {0, 1 << 20}, "once for the collective");
    options.integer("--switch-cycles", request_.switch_cycles, {0, 1 << 20}, "between two operations of a PE");
    options.integer("--threads", request_.threads, {1, 1024},
                    "host threads (default: processors); results do not depend on it");
    options.integer("--seed", request_.seed, {1, 1'000'000'000}, "of the vectors");
  }

  Answer run(const report::Page& page, Progress& progress) override {
    report::AllreduceReport report;
    report.system = request_.system;
    report.question = question_of(request_);
    progress.say(request_.fabric ? "moving wavelets" : "sweeping");
    report.answer = kernels::fabric::run_allreduce(report.question);
    return {report::allreduce_text(report, page), [report] { return report::allreduce_json(report); }};
  }

 private:
  Request request_;
};

}  // namespace

std::unique_ptr<Command> make_emulate_allreduce() {
  return std::make_unique<EmulateAllreduce>();
}

}  // namespace waferline::cli
