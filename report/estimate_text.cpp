#include <fmt/format.h>

#include <algorithm>

#include "report/estimate.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

constexpr std::size_t most_inputs_shown = 6;

std::string words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string plural(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count_text(count), what, count == 1 ? "" : "s");
}

std::vector<BreakdownPart> largest_first(std::vector<BreakdownPart> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const BreakdownPart& a, const BreakdownPart& b) { return a.time > b.time; });
  std::erase_if(parts, [](const BreakdownPart& part) { return part.time <= Seconds{0}; });
  return parts;
}

/// The largest parts until half of the time is named, three at most.
std::string limits(const DecodeEstimate& decode) {
  std::string text;
  double named = 0;
  int count = 0;
  for (const BreakdownPart& part : largest_first(decode.breakdown)) {
    if (count == 3 || named > 0.6) break;
    const double share = part.time / decode.tpot.expected;
    text += fmt::format("{}{} ({:.0f} %)", count == 0 ? "" : ", ", words(part.name), 100 * share);
    named += share;
    ++count;
  }
  return text;
}

std::string accepted_text(double tokens) {
  return fmt::format("{} token{}", plain_number(tokens), tokens == 1 ? "" : "s");
}

Lines headline(const EstimateAnswer& answer, const Page& page) {
  const DecodeEstimate& decode = answer.decode;
  const DecodeRequest& request = decode.request;
  Lines lines = wrapped(fmt::format("{} on {} {}, software {}: {} tokens/s per user", answer.model.name,
                                    plural(decode.placement.wafers, "wafer"), decode.system, decode.software,
                                    rate_text(decode.tokens_per_s.expected)),
                        page.width, 0, 2);
  lines.emplace_back();
  Table table({{""}, {"slow end", Align::right}, {"expected", Align::right}, {"fast end", Align::right}});
  table.add({"tokens/s per user", rate_text(decode.tokens_per_s.low), rate_text(decode.tokens_per_s.expected),
             rate_text(decode.tokens_per_s.high)});
  table.add({"time per token", seconds_text(decode.tpot.high), seconds_text(decode.tpot.expected),
             seconds_text(decode.tpot.low)});
  append(lines, table.lines(page));
  lines.emplace_back();
  append(lines, wrapped("Limited by " + limits(decode) + ".", page.width, 2));
  append(lines, wrapped(fmt::format("Context {} tokens, batch {}, {} a pass; with every stage busy {} tokens/s "
                                    "over all users.",
                                    count_text(request.context_tokens), count_text(request.batch),
                                    accepted_text(request.accepted_tokens), rate_text(decode.pipelined_tokens_per_s)),
                        page.width, 2));
  append(lines, wrapped(fmt::format("{} parameters, {} read per token; weights {} ({}), KV cache {}.",
                                    parameters_text(answer.model.parameters.total()),
                                    parameters_text(answer.model.read_per_token), bytes_text(answer.model.weight_bytes),
                                    answer.model.weight_types, bytes_text(answer.model.kv.at_context)),
                        page.width, 2));
  return lines;
}

Lines breakdown(const DecodeEstimate& decode, const Page& page) {
  Lines lines{"", "Where the time of a token goes"};
  Table table({{""}, {"", Align::right}, {"", Align::right}, {""}});
  const std::vector<BreakdownPart> parts = largest_first(decode.breakdown);
  const double largest = parts.empty() ? 1 : parts.front().time / decode.tpot.expected;
  for (const BreakdownPart& part : parts) {
    const double share = part.time / decode.tpot.expected;
    table.add({words(part.name), seconds_text(part.time), fmt::format("{:.1f} %", 100 * share),
               bar(share / largest, page.width / 3, page.unicode)});
  }
  table.add({"total", seconds_text(decode.tpot.expected)});
  append(lines, table.lines(page));
  return lines;
}

Lines bounds(const DecodeEstimate& decode, const Page& page) {
  Lines lines{"", "Bounds of a pass that no software can beat"};
  Table table({{""}, {"", Align::right}, {"", Align::right}});
  for (const BoundLine& bound : decode.bounds) {
    table.add({words(bound.name), seconds_text(bound.time),
               fmt::format("estimate {} times as long", significant(bound.estimate_over_bound, 3))});
  }
  append(lines, table.lines(page));
  return lines;
}

Lines sram_table(const mapping::SramUse& use, const Page& page) {
  Table table({{"SRAM of the fullest PE"}, {"bytes", Align::right}, {"share", Align::right}, {""}});
  const auto line = [&](const char* what, Bytes bytes) {
    const double share = bytes / use.capacity;
    table.add({what, count_text(bytes.value), fmt::format("{:.1f} %", 100 * share),
               bar(share, page.width / 4, page.unicode)});
  };
  line("weights", use.weights);
  line("KV cache and state", use.kv);
  line("buffers", use.buffers);
  line("code", use.code);
  line("system", use.system);
  line("free", use.free());
  return table.lines(page);
}

/// "195 x 188 PEs", or the smallest and the largest where they differ.
std::string extents_text(const mapping::Placement& placement) {
  const auto by_size = [](const mapping::PlacedRegion& a, const mapping::PlacedRegion& b) {
    return a.region.extent.pes() < b.region.extent.pes();
  };
  const auto [least, most] = std::minmax_element(placement.regions.begin(), placement.regions.end(), by_size);
  const Extent small = least->region.extent;
  const Extent large = most->region.extent;
  if (small == large) return fmt::format("{} x {} PEs", small.rows, small.cols);
  return fmt::format("{} x {} to {} x {} PEs", small.rows, small.cols, large.rows, large.cols);
}

Lines wafers(const EstimateAnswer& answer, const Page& page) {
  const mapping::Placement& placement = answer.decode.placement;
  const double share =
      static_cast<double>(placement.pes_used) / static_cast<double>(placement.wafers * answer.usable_pes_per_wafer);
  const auto stages = static_cast<std::int64_t>(placement.regions.size());
  std::string text =
      fmt::format("{} with {} of {}; {} of them hold up to {}", plural(placement.wafers, "wafer"),
                  plural(stages, "region"), extents_text(placement), count_text(stages - placement.head_regions),
                  plural(placement.layers_per_region, "layer"));
  if (placement.head_regions > 0) text += fmt::format(", {} the output head", count_text(placement.head_regions));
  text += fmt::format(". {} PEs in use ({:.1f} %).", count_text(placement.pes_used), 100 * share);
  Lines lines{"", "Placement"};
  append(lines, wrapped(text, page.width, 2));
  append(lines,
         wrapped(fmt::format("Longest context {} tokens at batch {}; at this context {}.",
                             count_text(placement.max_context_tokens), count_text(answer.decode.request.batch),
                             placement.max_users == 1 ? "1 user fits" : plural(placement.max_users, "user") + " fit"),
                 page.width, 2));
  lines.emplace_back();
  append(lines, sram_table(placement.fullest, page));
  return lines;
}

Lines gpus(const EstimateAnswer& answer, const Page& page) {
  if (answer.gpus.empty()) return {};
  Lines lines{"", "GPUs, same model, context and batch"};
  Table table({{"system"},
               {"engine", Align::wrap},
               {"bound", Align::right},
               {"engine time", Align::right},
               {"tokens/s", Align::right},
               {"band", Align::right},
               {"wafer", Align::right}});
  Lines notes;
  for (const GpuAnswer& gpu : answer.gpus) {
    const GpuEstimate& time = gpu.estimate;
    const std::string name = fmt::format("{}x{}", time.gpu, time.devices);
    if (time.fits) {
      table.add({name, time.engine, seconds_text(time.bound), seconds_text(time.expected),
                 rate_text(1 / time.expected.value),
                 fmt::format("{}-{}", rate_text(1 / time.high.value), rate_text(1 / time.low.value)),
                 times_text(time.expected / answer.decode.tpot.expected)});
    } else {
      table.add({name, time.engine, "-", "-", "no room"});
      append(notes, wrapped(fmt::format("- {}: {}", name, time.shortfall), page.width, 2, 2));
    }
    append(notes, wrapped(fmt::format("- {}: {}", name, gpu.engine_reason), page.width, 2, 2));
  }
  append(lines, table.lines(page));
  append(lines,
         wrapped("bound: bytes over nominal bandwidth, which no engine reaches; wafer: how much faster the wafer's "
                 "expected time is.",
                 page.width, 2));
  append(lines, notes);
  return lines;
}

/// What was measured, so that a reader can judge the estimate and knows what the service adds to it.
Lines published(const EstimateAnswer& answer, const Page& page) {
  if (answer.published.empty()) return {};
  Lines lines{"", fmt::format("Published speeds of this model on {}", answer.decode.system)};
  Table table({{"tokens/s", Align::right},
               {"prompt", Align::right},
               {"speculation"},
               {"date", Align::wrap},
               {"published as", Align::wrap}});
  for (const traces::EndpointRow& row : answer.published) {
    table.add({rate_text(row.tokens_per_s), row.context_stated ? count_text(row.context_tokens) : "-",
               row.speculates ? "not excluded" : "no", row.date, fmt::format("{} (row {})", row.label, row.id)});
  }
  append(lines, table.lines(page));
  if (answer.speculating_service) {
    append(lines,
           wrapped(fmt::format("Speeds with speculation come from newer kernels and several tokens a pass: beside "
                               "them belongs --software {} --accepted-tokens {}.",
                               answer.speculating_service->software,
                               plain_number(answer.speculating_service->accepted_tokens)),
                   page.width, 2));
  }
  return lines;
}

/// The key as words, without a unit that the value shows.
std::string input_words(std::string key) {
  for (const std::string_view unit : {"_hz", "_bytes_per_s", "_s"}) {
    if (key.ends_with(unit)) {
      key.resize(key.size() - unit.size());
      break;
    }
  }
  std::replace(key.begin(), key.end(), '.', ' ');
  return words(std::move(key));
}

const Assumption* assumption_of(const DecodeEstimate& decode, const std::string& key) {
  const auto found = std::find_if(decode.assumptions.begin(), decode.assumptions.end(),
                                  [&](const Assumption& assumption) { return assumption.key == key; });
  return found == decode.assumptions.end() ? nullptr : &*found;
}

Lines inputs_that_matter(const DecodeEstimate& decode, const Page& page) {
  Lines lines{"", "What moves the answer most: tokens/s with one input at its ends"};
  Table table(
      {{"input", Align::wrap}, {"tokens/s", Align::right}, {"value", Align::wrap}, {"known from", Align::wrap}});
  const std::size_t shown = std::min(decode.sensitivity.size(), most_inputs_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    const SensitivityLine& line = decode.sensitivity[i];
    const Assumption* assumption = assumption_of(decode, line.key);
    table.add({input_words(line.key),
               fmt::format("{}-{}", rate_text(line.tokens_per_s_low), rate_text(line.tokens_per_s_high)),
               assumption != nullptr ? assumption->value : "", assumption != nullptr ? assumption->kind : ""});
  }
  append(lines, table.lines(page));
  const std::size_t more = decode.sensitivity.size() - shown;
  append(lines, wrapped(fmt::format("{}{} assumptions with their sources are in the JSON (--json -).",
                                    more > 0 ? fmt::format("{} weaker input{} and ", more, more == 1 ? "" : "s") : "",
                                    more > 0 ? fmt::format("all {}", decode.assumptions.size())
                                             : fmt::format("All {}", decode.assumptions.size())),
                        page.width, 2));
  return lines;
}

}  // namespace

Lines estimate_text(const EstimateAnswer& answer, const Page& page) {
  Lines lines = headline(answer, page);
  append(lines, whole_answer_text(answer.whole, page));
  append(lines, breakdown(answer.decode, page));
  append(lines, bounds(answer.decode, page));
  append(lines, wafers(answer, page));
  append(lines, published(answer, page));
  append(lines, gpus(answer, page));
  append(lines, inputs_that_matter(answer.decode, page));
  Lines notes;
  for (const std::string& note : answer.decode.notes) append(notes, wrapped("- " + note, page.width, 2, 2));
  if (!notes.empty()) {
    append(lines, {"", "Notes"});
    append(lines, notes);
  }
  return lines;
}

}  // namespace waferline::report
