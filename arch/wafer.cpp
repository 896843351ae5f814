// Follows: physics of the mesh as docs/hardware.md states it: an aggregate is PEs x port x clock.
#include "arch/wafer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>
#include <utility>

#include "arch/profile_io.hpp"
#include "arch/profile_setter.hpp"

namespace waferline {
namespace {

constexpr std::string_view kFolder = "arch/systems";
constexpr std::int64_t kLargestSide = 16384;
constexpr RealRange kBytesPerCycle{0.125, 4096};
constexpr RealRange kMacsPerCycle{0.0625, 1024};
constexpr RealRange kCyclesPerMove{0.25, 1000};
constexpr RealRange kClockHz{1e6, 1e11};
constexpr RealRange kBytesPerSecond{1e6, 1e15};

template <class Io, class P>
void visit_pe(Io& io, P& pe) {
  io.number("sram_bytes", pe.sram, IntegerRange{1024, 1 << 26});
  io.number("sram_banks", pe.sram_banks, IntegerRange{1, 1024});
  io.number("sram_read_bytes_per_cycle", pe.sram_read, kBytesPerCycle);
  io.number("sram_write_bytes_per_cycle", pe.sram_write, kBytesPerCycle);
  io.number("fp16_macs_per_cycle", pe.fp16_macs_per_cycle, kMacsPerCycle);
  io.number("fp32_macs_per_cycle", pe.fp32_macs_per_cycle, kMacsPerCycle);
}

template <class Io, class F>
void visit_fabric(Io& io, F& fabric) {
  io.extent("extent", fabric.extent, IntegerRange{1, kLargestSide});
  io.extent("usable", fabric.usable, IntegerRange{1, kLargestSide});
  io.number("link_bytes_per_cycle", fabric.link, kBytesPerCycle);
  io.number("wavelet_bytes", fabric.wavelet, IntegerRange{1, 1024});
  io.number("hop_cycles", fabric.hop, kCyclesPerMove);
  io.number("ramp_cycles", fabric.ramp, RealRange{0, 1000});
  io.number("colors", fabric.colors, IntegerRange{1, 1024});
}

template <class Io, class L>
void visit_links(Io& io, L& links) {
  io.number("io_bytes_per_s", links.io, kBytesPerSecond);
  io.number("wafer_to_wafer_bytes_per_s", links.wafer_to_wafer, kBytesPerSecond);
  io.number("wafer_to_wafer_latency_s", links.wafer_to_wafer_latency, RealRange{0, 1});
  io.number("wafers_per_rack", links.wafers_per_rack, IntegerRange{1, 1024});
}

template <class Io, class V>
void visit_vendor(Io& io, V& vendor) {
  io.number("pes", vendor.pes, IntegerRange{1, 1'000'000'000});
  io.number("sram_bytes", vendor.sram, IntegerRange{1, std::int64_t{1} << 50});
  io.number("sram_bandwidth_bytes_per_s", vendor.sram_bandwidth, RealRange{1e6, 1e21});
  io.number("fabric_bandwidth_bytes_per_s", vendor.fabric_bandwidth, RealRange{1e6, 1e21});
  io.number("fp16_dense_flops_per_s", vendor.fp16_dense, RealRange{1e6, 1e21});
  io.number("system_power_w", vendor.system_power, RealRange{1, 1e7});
}

/// Defects as the file lists them; PEs as pairs.
struct DefectLists {
  Provenance provenance;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> cols;
  std::vector<std::array<std::int64_t, 2>> pes;
};

template <class Io, class D>
void visit_defects(Io& io, D& defects) {
  constexpr IntegerRange kSide{0, kLargestSide - 1};
  io.provenance(defects.provenance);
  io.optional_integers("rows", defects.rows, kSide);
  io.optional_integers("cols", defects.cols, kSide);
  io.optional_pairs("pes", defects.pes, kSide);
}

template <class Io, class W>
void visit_wafer(Io& io, W& wafer) {
  io.identifier("name", wafer.name);
  io.text("description", wafer.description);
  io.number("clock_hz", wafer.clock, kClockHz);
  io.section("pe", [&](auto& inner) { visit_pe(inner, wafer.pe); });
  io.section("fabric", [&](auto& inner) { visit_fabric(inner, wafer.fabric); });
  io.section("links", [&](auto& inner) { visit_links(inner, wafer.links); });
}

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

Defects defects_of(DefectLists& lists) {
  sort_unique(lists.rows);
  sort_unique(lists.cols);
  sort_unique(lists.pes);
  Defects out{lists.provenance, lists.rows, lists.cols, {}};
  for (const auto& [row, col] : lists.pes) out.pes.push_back({row, col});
  return out;
}

struct Contradiction {
  std::string_view section;
  std::string text;
};

std::vector<Contradiction> find_contradictions(const Wafer& wafer) {
  std::vector<Contradiction> found;
  const auto require = [&](bool holds, std::string_view section, std::string text) {
    if (!holds) found.push_back({section, std::move(text)});
  };
  const Extent all = wafer.fabric.extent.value;
  const Extent usable = wafer.usable();
  require(usable.rows <= all.rows && usable.cols <= all.cols, "fabric",
          fmt::format("usable is {} rows x {} columns, more than the extent of {} x {}", usable.rows, usable.cols,
                      all.rows, all.cols));
  const Defects& defects = wafer.defects;
  const auto inside = [&](std::int64_t row, std::int64_t col) { return row < usable.rows && col < usable.cols; };
  for (const std::int64_t row : defects.rows) {
    require(inside(row, 0), "defects", fmt::format("row {} is outside the usable {} rows", row, usable.rows));
  }
  for (const std::int64_t col : defects.cols) {
    require(inside(0, col), "defects", fmt::format("column {} is outside the usable {}", col, usable.cols));
  }
  for (const PePosition& pe : defects.pes) {
    require(inside(pe.row, pe.col), "defects",
            fmt::format("PE [{}, {}] is outside the usable {} x {}", pe.row, pe.col, usable.rows, usable.cols));
  }
  if (found.empty()) require(usable_pes(wafer) > 0, "defects", "leave no PE to use");
  return found;
}

}  // namespace

std::int64_t usable_pes(const Wafer& wafer) {
  const Defects& defects = wafer.defects;
  const std::set<std::int64_t> rows(defects.rows.begin(), defects.rows.end());
  const std::set<std::int64_t> cols(defects.cols.begin(), defects.cols.end());
  const auto alone = std::count_if(defects.pes.begin(), defects.pes.end(), [&](const PePosition& pe) {
    return rows.count(pe.row) == 0 && cols.count(pe.col) == 0;
  });
  const Extent usable = wafer.usable();
  const auto left_rows = usable.rows - static_cast<std::int64_t>(rows.size());
  const auto left_cols = usable.cols - static_cast<std::int64_t>(cols.size());
  return left_rows * left_cols - alone;
}

Bytes aggregate_sram(const Wafer& wafer) {
  return wafer.pe.sram.value * usable_pes(wafer);
}

BytesPerSecond aggregate_sram_read_bandwidth(const Wafer& wafer, Hertz clock) {
  return wafer.pe.sram_read.value * static_cast<double>(usable_pes(wafer)) * clock;
}

BytesPerSecond aggregate_sram_bandwidth(const Wafer& wafer, Hertz clock) {
  return (wafer.pe.sram_read.value + wafer.pe.sram_write.value) * static_cast<double>(usable_pes(wafer)) * clock;
}

BytesPerSecond aggregate_fabric_bandwidth(const Wafer& wafer, Hertz clock) {
  constexpr double kLinksTimesDirections = 4 * 2;
  return wafer.fabric.link.value * kLinksTimesDirections * static_cast<double>(usable_pes(wafer)) * clock;
}

FlopsPerSecond peak_fp16(const Wafer& wafer, Hertz clock) {
  constexpr double kFlopPerMac = 2;
  return FlopsPerSecond{wafer.pe.fp16_macs_per_cycle.value * kFlopPerMac * static_cast<double>(usable_pes(wafer)) *
                        clock.value};
}

namespace {

template <class T>
std::optional<double> claimed(const std::optional<Sourced<T>>& claim) {
  if constexpr (std::is_arithmetic_v<T>) {
    return claim ? std::optional(static_cast<double>(claim->value)) : std::nullopt;
  } else {
    return claim ? std::optional(static_cast<double>(claim->value.value)) : std::nullopt;
  }
}

AggregateLine exact_line(std::string what, std::string unit, double value, std::string formula,
                         std::optional<double> vendor) {
  return {std::move(what), std::move(unit), value, value, value, std::move(formula), vendor};
}

std::string pes_formula(const Wafer& wafer) {
  const Extent usable = wafer.usable();
  const std::int64_t lost = usable.pes() - usable_pes(wafer);
  return fmt::format("{} rows x {} columns{}", usable.rows, usable.cols,
                     lost == 0 ? "" : fmt::format(" less {} defective", lost));
}

}  // namespace

std::vector<AggregateLine> aggregates(const Wafer& wafer) {
  const std::int64_t pes = usable_pes(wafer);
  const Sourced<Hertz>& clock = wafer.clock;
  const double ghz = clock.value.value / 1e9;
  const auto rate_line = [&](std::string what, auto rate, const std::string& per_pe, std::optional<double> vendor) {
    return AggregateLine{std::move(what),
                         "B/s",
                         rate(wafer, clock.value).value,
                         rate(wafer, clock.low()).value,
                         rate(wafer, clock.high()).value,
                         fmt::format("{} PEs x {} B/cycle x {} GHz", pes, per_pe, ghz),
                         vendor};
  };
  const Sourced<double>& width = wafer.pe.fp16_macs_per_cycle;
  const double peak = peak_fp16(wafer, clock.value).value;
  const double ports = (wafer.pe.sram_read.value + wafer.pe.sram_write.value).value;
  return {
      exact_line("PEs", "PEs", static_cast<double>(pes), pes_formula(wafer), claimed(wafer.vendor.pes)),
      exact_line("SRAM", "B", static_cast<double>(aggregate_sram(wafer).value),
                 fmt::format("{} PEs x {} B", pes, wafer.pe.sram.value.value), claimed(wafer.vendor.sram)),
      rate_line("SRAM bandwidth", aggregate_sram_bandwidth, fmt::format("{}", ports),
                claimed(wafer.vendor.sram_bandwidth)),
      rate_line("fabric bandwidth", aggregate_fabric_bandwidth, fmt::format("8 x {}", wafer.fabric.link.value.value),
                claimed(wafer.vendor.fabric_bandwidth)),
      {"fp16 arithmetic", "flop/s", peak, peak_fp16(wafer, clock.low()).value * width.low() / width.value,
       peak_fp16(wafer, clock.high()).value * width.high() / width.value,
       fmt::format("{} PEs x 2 x {} MAC/cycle x {} GHz", pes, width.value, ghz), claimed(wafer.vendor.fp16_dense)},
  };
}

std::vector<std::string> list_wafers() {
  return list_profiles(kFolder);
}

Wafer load_wafer(const std::string& name_or_path) {
  const ProfileFile file = read_profile(kFolder, "system", name_or_path);
  Wafer wafer = parse_wafer(file.text, file.file_name);
  check_profile_name(file, wafer.name);
  return wafer;
}

Wafer parse_wafer(std::string_view toml_text, const std::string& file_name) {
  const ConfigNode root = parse_toml(toml_text, file_name);
  Problems problems(file_name);
  ProfileReader reader{ObjectReader(root, problems)};
  Wafer wafer;
  visit_wafer(reader, wafer);
  std::optional<DefectLists> defects;
  reader.optional_section("defects", defects, [](auto& inner, auto& lists) { visit_defects(inner, lists); });
  if (defects) wafer.defects = defects_of(*defects);
  std::optional<VendorClaims> vendor;
  reader.optional_section("vendor", vendor, [](auto& inner, auto& claims) { visit_vendor(inner, claims); });
  if (vendor) wafer.vendor = *vendor;
  reader.finish();
  problems.throw_if_any();
  for (const Contradiction& found : find_contradictions(wafer)) reader.require(false, found.section, found.text);
  problems.throw_if_any();
  return wafer;
}

void set_values(Wafer& wafer, const ConfigNode& values, Problems& problems) {
  ProfileSetter setter{ObjectReader(values, problems, "wafer")};
  visit_wafer(setter, wafer);
  setter.finish();
}

std::vector<std::string> settable_wafer_keys() {
  const ConfigNode nothing(ConfigNode::Object{}, 0);
  Problems problems("");
  ProfileSetter setter{ObjectReader(nothing, problems)};
  Wafer wafer;
  visit_wafer(setter, wafer);
  return setter.keys();
}

std::vector<std::string> contradictions(const Wafer& wafer) {
  std::vector<std::string> texts;
  for (const Contradiction& found : find_contradictions(wafer)) {
    texts.push_back(fmt::format("{}: {}", found.section, found.text));
  }
  return texts;
}

std::string to_toml(const Wafer& wafer) {
  ProfileWriter writer("Waferline wafer; docs/hardware.md explains the keys.");
  visit_wafer(writer, wafer);
  if (!wafer.defects.empty()) {
    DefectLists lists{wafer.defects.provenance, wafer.defects.rows, wafer.defects.cols, {}};
    for (const PePosition& pe : wafer.defects.pes) lists.pes.push_back({pe.row, pe.col});
    writer.section("defects", [&](auto& inner) { visit_defects(inner, lists); });
  }
  if (wafer.vendor != VendorClaims{}) {
    writer.section("vendor", [&](auto& inner) { visit_vendor(inner, wafer.vendor); });
  }
  return writer.toml();
}

}  // namespace waferline
