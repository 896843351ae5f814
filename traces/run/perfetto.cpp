// Follows: Trace Event Format (Google, revision of 2016): complete events ("X"), metadata ("M"), times in microseconds.
#include "traces/run/perfetto.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "arch/error.hpp"

namespace waferline::traces {
namespace {

/// A JSON string; bytes that are not printable ASCII are escaped or, beyond it, taken as they are (names are UTF-8).
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Microseconds of whole picoseconds, exactly: rounding must not let a slice stick out of the one around it.
std::string microseconds(std::int64_t picoseconds) {
  constexpr std::int64_t kPerMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", picoseconds / kPerMicrosecond, picoseconds % kPerMicrosecond);
}

std::string slice(std::string_view name, std::string_view category, std::int64_t track, std::int64_t begin_ps,
                  std::int64_t end_ps, const std::string& arguments) {
  return fmt::format(R"({{"name":{},"cat":{},"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                     json_text(name), json_text(category), track, microseconds(begin_ps),
                     microseconds(end_ps - begin_ps), arguments);
}

std::string metadata(std::string_view what, std::int64_t track, std::string_view name) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":1,"tid":{},"args":{{"name":{}}}}})", what, track, json_text(name));
}

}  // namespace

PerfettoFile::PerfettoFile(const std::filesystem::path& target, const TraceOrigin& origin)
    : file_(target), out_(file_.temporary(), std::ios::binary), clock_(origin.clock) {
  check();
  out_ << R"({"displayTimeUnit":"ns","otherData":{)";
  out_ << fmt::format(R"("tool":"waferline","version":{},"command":{},"system":{},"software":{},"seed":"{}")",
                      json_text(origin.version), json_text(origin.command), json_text(origin.system),
                      json_text(origin.software), origin.seed);
  for (const auto& [name, value] : origin.inputs) out_ << "," << json_text(name) << ":" << json_text(value);
  out_ << "},\n\"traceEvents\":[\n";
  put(metadata("process_name", 0, fmt::format("waferline on {}", origin.system)));
}

void PerfettoFile::check() const {
  if (!out_) throw ConfigError(fmt::format("{}: cannot be written: {}", file_.shown().string(), std::strerror(errno)));
}

void PerfettoFile::put(const std::string& event) {
  if (!is_first_) out_ << ",\n";
  is_first_ = false;
  out_ << event;
}

std::int64_t PerfettoFile::picoseconds(Cycles cycles) const {
  constexpr double kPerSecond = 1e12;
  return std::llround((cycles / clock_).value * kPerSecond);
}

std::int64_t PerfettoFile::track_of(std::string_view region) {
  const auto known = tracks_.find(region);
  if (known != tracks_.end()) return known->second;
  const auto track = static_cast<std::int64_t>(tracks_.size()) + 1;
  tracks_.emplace(region, track);
  put(metadata("thread_name", track, region));
  put(fmt::format(R"({{"name":"thread_sort_index","ph":"M","pid":1,"tid":{0},"args":{{"sort_index":{0}}}}})", track));
  return track;
}

void PerfettoFile::write(const TracedStep& traced) {
  const auto known = tracks_.find(traced.region);
  const bool goes_on = known != tracks_.end() && known->second == visit_.track && visit_.pass == traced.pass;
  const std::int64_t begin = picoseconds(traced.start);
  if (!goes_on) {
    end_visit();
    visit_ = {track_of(traced.region), traced.pass, begin, begin, {}};
  }
  visit_.end_ps = picoseconds(traced.start + traced.cycles);
  const kernels::Step& step = traced.recorded.step();
  const kernels::emulate::StepCounters& counters = traced.recorded.counters;
  visit_.steps += ",\n";
  visit_.steps +=
      slice(step.label, kernels::name(step.part), visit_.track, begin, visit_.end_ps,
            fmt::format(
                R"("kind":{},"cycles":{},"macs":{},"instructions":{},"wavelets":{},"link_wavelets":{},"sram_bytes":{})",
                json_text(kernels::name(step.kind)), traced.cycles.value, counters.macs, counters.instructions,
                counters.wavelets, counters.link_wavelets, traced.recorded.sram_bytes));
}

void PerfettoFile::end_visit() {
  if (visit_.track < 0) return;
  put(slice(fmt::format("pass {}", visit_.pass), "pass", visit_.track, visit_.begin_ps, visit_.end_ps, ""));
  out_ << visit_.steps;
  check();  // while errno is that of the write
  visit_.steps.clear();
  visit_.track = -1;
}

void PerfettoFile::finish() {
  end_visit();
  out_ << "\n]}\n";
  out_.close();
  check();
  file_.commit();
}

}  // namespace waferline::traces
