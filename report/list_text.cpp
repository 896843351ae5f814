#include <fmt/format.h>

#include "report/list.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

/// "0.875" or, with a band, "0.84-1.14".
std::string band_text(double low, double high, double scale, int digits) {
  if (low == high) return significant(low * scale, digits);
  return fmt::format("{}-{}", significant(low * scale, digits), significant(high * scale, digits));
}

template <class Quantity>
std::string scaled(const std::optional<Sourced<Quantity>>& quantity, double scale, int digits = 3) {
  return quantity ? significant(quantity->value.value * scale, digits) : "-";
}

std::string cycles(const Sourced<Cycles>& sourced) {
  return significant(sourced.value.value, 3);
}

void append_notes(Lines& lines, const std::vector<std::string>& notes, const Page& page) {
  lines.emplace_back();
  for (const std::string& note : notes) append(lines, wrapped(note, page.width, 2));
}

}  // namespace

Lines wafers_text(const std::vector<Wafer>& wafers, const Page& page) {
  Lines lines{"Wafers (--system)"};
  Table table({{"name"},
               {"description", Align::wrap},
               {"PEs", Align::right},
               {"SRAM", Align::right},
               {"clock GHz", Align::right},
               {"read PB/s", Align::right},
               {"fp16 PF/s", Align::right}});
  for (const Wafer& wafer : wafers) {
    const Hertz clock = wafer.clock.value;
    table.add({wafer.name, wafer.description, count_text(usable_pes(wafer)), bytes_text(aggregate_sram(wafer)),
               band_text(wafer.clock.low().value, wafer.clock.high().value, 1e-9, 3),
               significant(aggregate_sram_read_bandwidth(wafer, clock).value * 1e-15, 3),
               significant(peak_fp16(wafer, clock).value * 1e-15, 3)});
  }
  append(lines, table.lines(page));
  append_notes(
      lines,
      {"PEs and SRAM of the rectangle that programs can use, code included. Bandwidth and arithmetic are derived "
       "from PEs, ports and the expected clock."},
      page);
  return lines;
}

Lines software_text(const std::vector<SoftwareProfile>& profiles, const Page& page) {
  Lines lines{"Software on wafers (--software)"};
  Table table({{"name"},
               {"description", Align::wrap},
               {"wafer"},
               {"instr", Align::right},
               {"stage", Align::right},
               {"exp", Align::right},
               {"reserved", Align::right},
               {"fixed", Align::right}});
  for (const SoftwareProfile& profile : profiles) {
    table.add({profile.name, profile.description, profile.wafer.empty() ? "-" : profile.wafer,
               cycles(profile.vector_instruction_overhead), cycles(profile.stage_overhead),
               cycles(profile.exponential_per_element),
               bytes_text(profile.code.value + profile.buffers.value + profile.system.value),
               seconds_text(profile.fixed_per_token.value)});
  }
  append(lines, table.lines(page));
  append_notes(
      lines,
      {"instr, stage, exp: cycles on top of each vector instruction, for each software stage of a collective, and "
       "for one exponential. reserved: SRAM of each PE for code, buffers and system. fixed: per token."},
      page);
  return lines;
}

Lines gpus_text(const std::vector<Gpu>& gpus, const Page& page) {
  Lines lines{"GPUs and other accelerators (--vs NAMExCOUNT)"};
  Table table({{"name"},
               {"GB", Align::right},
               {"TB/s", Align::right},
               {"fp16", Align::right},
               {"fp8", Align::right},
               {"fp4", Align::right},
               {"link", Align::wrap},
               {"GB/s", Align::right},
               {"node", Align::right}},
              0);
  for (const Gpu& gpu : gpus) {
    table.add({gpu.name, plain_number(static_cast<double>(gpu.memory.value.value) * 1e-9),
               significant(gpu.bandwidth.value.value * 1e-12, 3), scaled(gpu.dense.fp16, 1e-12),
               scaled(gpu.dense.fp8, 1e-12), scaled(gpu.dense.fp4, 1e-12), gpu.scale_up.link,
               scaled(gpu.scale_up.link_per_direction, 1e-9), count_text(gpu.scale_up.devices_per_node.value)});
  }
  append(lines, table.lines(page));
  append_notes(lines,
               {"GB, TB/s: memory and its bandwidth. fp16, fp8, fp4: dense TFLOP/s. link, GB/s: between the devices of "
                "a node, each direction; node: devices that it "
                "joins."},
               page);
  return lines;
}

Lines engines_text(const std::vector<GpuEngine>& engines, const Page& page) {
  Lines lines{"Serving engines (--engine)"};
  Table table({{"name"},
               {"e_w", Align::right},
               {"e_kv", Align::right},
               {"layer", Align::right},
               {"allreduce", Align::right},
               {"token", Align::right},
               {"rows", Align::right},
               {"error", Align::right}},
              0);
  Table descriptions({{""}, {"", Align::wrap}}, 0);
  for (const GpuEngine& engine : engines) {
    table.add({engine.name, significant(engine.weight_bandwidth_fraction.value, 3),
               significant(engine.kv_bandwidth_fraction.value, 3), seconds_text(engine.layer_overhead.value),
               seconds_text(engine.allreduce.value), seconds_text(engine.token_overhead.value),
               count_text(engine.fit.points), fmt::format("{:.1f} %", engine.fit.mean_abs_error_pct)});
    descriptions.add({engine.name, engine.description});
  }
  append(lines, table.lines(page));
  lines.emplace_back();
  append(lines, descriptions.lines(page));
  append_notes(
      lines,
      {"e_w, e_kv: fractions of the bandwidth reached by weights and cache. layer, allreduce, token: times once "
       "each. rows, error: measured rows fitted on, and their mean error."},
      page);
  return lines;
}

Lines speeds_text(const std::vector<traces::PublishedSpeed>& speeds, const Page& page) {
  Lines lines{"Published speeds (--endpoint PROVIDER/MODEL[@DATE] or #ROW)"};
  Table table({{"row", Align::right},
               {"provider", Align::wrap},
               {"model", Align::wrap},
               {"tokens/s", Align::right},
               {"date", Align::wrap}},
              0);
  for (const traces::PublishedSpeed& speed : speeds) {
    const std::string qualifier = speed.qualifier == "exact" ? "" : speed.qualifier + " ";
    table.add({speed.row, speed.provider, speed.model, qualifier + plain_number(speed.tokens_per_s), speed.date});
  }
  append(lines, table.lines(page));
  append_notes(lines, {"Conditions, who measured, reliability, prices and sources are in the JSON (--json -)."}, page);
  return lines;
}

}  // namespace waferline::report
