#include "kernels/fabric/run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>

#include "arch/error.hpp"
#include "kernels/fabric/block.hpp"

namespace waferline::kernels::fabric {
namespace {

const char* name(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::wait:
      return "wait";
    case Operation::Kind::send:
      return "send";
    case Operation::Kind::combine:
      return "combine";
    case Operation::Kind::store:
      return "store";
    case Operation::Kind::forward:
      return "forward";
    case Operation::Kind::relay:
      return "relay";
  }
  return "";
}

std::string deadlock_text(std::int64_t cycle, const std::vector<WaitingPe>& waiting) {
  constexpr std::size_t kMost = 8;
  std::string text = fmt::format("fabric: nothing moves after cycle {}, {} PEs wait", cycle, waiting.size());
  for (std::size_t index = 0; index < std::min(kMost, waiting.size()); ++index) {
    const WaitingPe& pe = waiting[index];
    text += fmt::format("\n  line {}, position {}: operation {} ({}), {} of {} words done, {} color {}", pe.line,
                        pe.position, pe.operation, name(pe.kind), pe.words_done, pe.words,
                        pe.for_input ? "waits for a wavelet of" : "the ramp is full in", pe.color);
  }
  if (waiting.size() > kMost) text += fmt::format("\n  and {} more", waiting.size() - kMost);
  return text;
}

/// Steps one block to its end. Its lines share nothing with others, so it needs no other block. Returns the last cycle.
std::int64_t run_alone(Block& block) {
  std::int64_t cycle = 0;
  while (!block.done()) {
    ++cycle;
    if (block.step(cycle, nullptr)) continue;
    std::vector<WaitingPe> waiting;
    block.describe_waiting(waiting);
    throw FabricDeadlock(cycle, std::move(waiting));
  }
  return cycle;
}

/// Steps all blocks through each cycle in the order of their lines.
void run_together(std::vector<std::optional<Block>>& blocks) {
  const auto all_done = [&] {
    return std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block->done(); });
  };
  for (std::int64_t cycle = 1; !all_done(); ++cycle) {
    bool moved = false;
    for (std::size_t index = 0; index < blocks.size(); ++index) {
      Block* next = index + 1 < blocks.size() ? &*blocks[index + 1] : nullptr;
      moved = blocks[index]->step(cycle, next) || moved;
    }
    if (moved) continue;
    std::vector<WaitingPe> waiting;
    for (const auto& block : blocks) block->describe_waiting(waiting);
    throw FabricDeadlock(cycle, std::move(waiting));
  }
}

/// Adds up what one block leaves.
class Gathering {
 public:
  Gathering(const FabricProgram& program, FabricRun& run) : program_(program), run_(run) {
    const auto positions = static_cast<std::size_t>(program.positions());
    link_wavelets_.resize(positions * kOutputs);
    combined_.resize(positions);
    run_.finished.resize(positions * static_cast<std::size_t>(program.lines));
  }

  void add(const Block& block) {
    const std::int64_t positions = program_.positions();
    for (int lane = 0; lane < block.lanes(); ++lane) {
      for (std::int64_t position = 0; position < positions; ++position) {
        const std::int32_t cycle = block.finished()[static_cast<std::size_t>(position * kLanes + lane)];
        run_.finished[static_cast<std::size_t>((block.first_line() + lane) * positions + position)] = cycle;
        run_.cycles = std::max<std::int64_t>(run_.cycles, cycle);
      }
    }
    run_.traffic.wavelet_hops += block.traffic().wavelet_hops;
    run_.traffic.combines += block.traffic().combines;
    for (std::size_t index = 0; index < link_wavelets_.size(); ++index)
      link_wavelets_[index] += block.link_wavelets()[index];
    for (std::size_t index = 0; index < combined_.size(); ++index) combined_[index] += block.combined()[index];
    state_bytes_ += block.state_bytes();
  }

  void close() {
    const std::int64_t pes = program_.positions() * program_.lines;
    run_.link_wavelets = *std::max_element(link_wavelets_.begin(), link_wavelets_.end()) / program_.lines;
    run_.combines = *std::max_element(combined_.begin(), combined_.end()) / program_.lines;
    run_.stepped_pe_cycles = run_.cycles * pes;
    run_.state_bytes_per_pe = static_cast<double>(state_bytes_) / static_cast<double>(pes);
    if (run_.cycles > 0) run_.cycles += program_.timing.startup;
  }

 private:
  const FabricProgram& program_;
  FabricRun& run_;
  std::vector<std::int64_t> link_wavelets_;
  std::vector<std::int64_t> combined_;
  std::int64_t state_bytes_ = 0;
};

void check(const FabricProgram& program, const FabricMemory& memory, std::span<const std::int32_t> starts) {
  if (memory.lines() != program.lines || memory.positions() != program.positions() || memory.words() != program.words) {
    throw ConfigError(fmt::format("fabric: memory of {} x {} PEs with {} words each (needed: {} x {} with {})",
                                  memory.lines(), memory.positions(), memory.words(), program.lines,
                                  program.positions(), program.words));
  }
  const auto pes = static_cast<std::size_t>(program.lines * program.positions());
  if (!starts.empty() && starts.size() != pes) {
    throw ConfigError(
        fmt::format("fabric: {} starting cycles for {} PEs (permitted: none, or one for each)", starts.size(), pes));
  }
}

}  // namespace

FabricDeadlock::FabricDeadlock(std::int64_t cycle, std::vector<WaitingPe> waiting)
    : std::runtime_error(deadlock_text(cycle, waiting)), cycle_(cycle), waiting_(std::move(waiting)) {}

FabricRun run(const FabricProgram& program, FabricMemory& memory, int threads, std::span<const std::int32_t> starts) {
  check(program, memory, starts);
  const FabricLayout layout(program);
  const auto count = static_cast<int>((program.lines + kLanes - 1) / kLanes);
  const auto make = [&](std::optional<Block>& block, int index) {
    const std::int64_t first_line = std::int64_t{index} * kLanes;
    const int lanes = static_cast<int>(std::min<std::int64_t>(kLanes, program.lines - first_line));
    block.emplace(layout, first_line, lanes, memory.block(index), memory.stride(), starts);
  };
  FabricRun result;
  Gathering gathering(program, result);
  if (layout.crosses_lines()) {
    std::vector<std::optional<Block>> blocks(static_cast<std::size_t>(count));
    for (int index = 0; index < count; ++index) make(blocks[static_cast<std::size_t>(index)], index);
    run_together(blocks);
    for (const auto& block : blocks) gathering.add(*block);
    gathering.close();
    return result;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  const int team = std::clamp(std::min(threads, omp_get_num_procs()), 1, count);
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
  for (int index = 0; index < count; ++index) {
    try {
      std::optional<Block> block;
      make(block, index);
      run_alone(*block);
#pragma omp critical(waferline_fabric_gather)
      gathering.add(*block);
    } catch (...) {
      failures[static_cast<std::size_t>(index)] = std::current_exception();
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);  // of the lowest lines, whichever thread met one first
  }
  gathering.close();
  return result;
}

}  // namespace waferline::kernels::fabric
