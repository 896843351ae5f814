#pragma once
// One kind of wafer: its PEs, fabric, clock and links, as read from `arch/systems/NAME.toml`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config_node.hpp"
#include "arch/region.hpp"
#include "arch/sourced.hpp"
#include "arch/units.hpp"

namespace waferline {

/// One processing element. Ports are those of its own SRAM.
struct Pe {
  Sourced<Bytes> sram;
  Sourced<std::int64_t> sram_banks;
  Sourced<BytesPerCycle> sram_read;
  Sourced<BytesPerCycle> sram_write;
  Sourced<double> fp16_macs_per_cycle;  // SIMD width of 16-bit multiply-accumulate with operands in SRAM
  Sourced<double> fp32_macs_per_cycle;
  bool operator==(const Pe&) const = default;
};

/// The mesh between PEs.
struct Fabric {
  Sourced<Extent> extent;        // all PEs that the SDK counts
  Sourced<Extent> usable;        // the rectangle that a program can use
  Sourced<BytesPerCycle> link;   // one direction of one link
  Sourced<Bytes> wavelet;        // size of one wavelet
  Sourced<Cycles> hop;           // router to neighbouring router
  Sourced<Cycles> ramp;          // T_R: core to its router, or back
  Sourced<std::int64_t> colors;  // routable colors
  bool operator==(const Fabric&) const = default;
};

/// What leaves the wafer.
struct WaferLinks {
  Sourced<BytesPerSecond> io;               // off-wafer I/O, all channels together, one direction
  Sourced<BytesPerSecond> wafer_to_wafer;   // bandwidth from one wafer to the next
  Sourced<Seconds> wafer_to_wafer_latency;  // first byte out of one wafer to first byte into the next
  Sourced<std::int64_t> wafers_per_rack;
  bool operator==(const WaferLinks&) const = default;
};

/// Row and column of one PE of the usable rectangle.
struct PePosition {
  std::int64_t row = 0;
  std::int64_t col = 0;
  bool operator==(const PePosition&) const = default;
};

/// Parts of the usable rectangle that no program may use; sorted, without duplicates.
struct Defects {
  Provenance provenance;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> cols;
  std::vector<PePosition> pes;
  bool empty() const { return rows.empty() && cols.empty() && pes.empty(); }
  bool operator==(const Defects&) const = default;
};

/// Figures that the vendor states for the whole wafer. They are shown beside what we derive and enter no estimate.
struct VendorClaims {
  std::optional<Sourced<std::int64_t>> pes;
  std::optional<Sourced<Bytes>> sram;
  std::optional<Sourced<BytesPerSecond>> sram_bandwidth;
  std::optional<Sourced<BytesPerSecond>> fabric_bandwidth;
  std::optional<Sourced<FlopsPerSecond>> fp16_dense;
  std::optional<Sourced<Watts>> system_power;
  bool operator==(const VendorClaims&) const = default;
};

struct Wafer {
  std::string name;
  std::string description;
  Pe pe;
  Fabric fabric;
  Sourced<Hertz> clock;  // cycles become seconds only through this
  WaferLinks links;
  Defects defects;
  VendorClaims vendor;

  Extent usable() const { return fabric.usable.value; }
  bool operator==(const Wafer&) const = default;
};

/// PEs of the usable rectangle that are not listed as defects.
std::int64_t usable_pes(const Wafer& wafer);

/// SRAM of all usable PEs, code included.
Bytes aggregate_sram(const Wafer& wafer);

/// PEs x (read + write port) x clock: what the wafer's SRAM could move if every port were busy in every cycle.
BytesPerSecond aggregate_sram_bandwidth(const Wafer& wafer, Hertz clock);

/// PEs x read port x clock: the most weight bytes that could be read in a second.
BytesPerSecond aggregate_sram_read_bandwidth(const Wafer& wafer, Hertz clock);

/// PEs x 4 links x 2 directions x link x clock, as vendors count it.
BytesPerSecond aggregate_fabric_bandwidth(const Wafer& wafer, Hertz clock);

/// PEs x 2 flop x MACs per cycle x clock.
FlopsPerSecond peak_fp16(const Wafer& wafer, Hertz clock);

/// One aggregate figure as derived, with the vendor's beside it.
struct AggregateLine {
  std::string what;  // "SRAM bandwidth", ...
  std::string unit;  // "B/s", "B", "flop/s", "PEs"
  double derived = 0;
  double derived_low = 0;  // at the low end of clock and width
  double derived_high = 0;
  std::string formula;  // with the numbers in it
  std::optional<double> vendor;
};

/// The derived aggregates in the order in which they are printed: PEs, SRAM, SRAM bandwidth, fabric bandwidth, peak
/// fp16.
std::vector<AggregateLine> aggregates(const Wafer& wafer);

/// Names of the wafers that come with Waferline, sorted.
std::vector<std::string> list_wafers();

/// The wafer of that name, or the one described by a file if `name_or_path` ends in ".toml".
/// Errors: ConfigError naming the nearest names, or every problem of the file with line, key, value and permitted
/// range.
Wafer load_wafer(const std::string& name_or_path);

/// Reads a wafer from TOML text; `file_name` is for messages.
Wafer parse_wafer(std::string_view toml_text, const std::string& file_name);

/// Sets the keys of the object `values` in place, with the ranges of the file; their bands go. Keys are those of the
/// file without their section: "clock_hz", "sram_bytes", "usable". Problems, those of unknown keys with the nearest
/// one among them, are added under "wafer.KEY"; what is wrong stays as it was or holds the lowest permitted value.
void set_values(Wafer& wafer, const ConfigNode& values, Problems& problems);

/// Keys that set_values takes.
std::vector<std::string> settable_wafer_keys();

/// What contradicts itself between fields that are each in range, e.g. a usable rectangle beyond the extent.
std::vector<std::string> contradictions(const Wafer& wafer);

/// The file that `parse_wafer` reads back to an equal Wafer.
std::string to_toml(const Wafer& wafer);

}  // namespace waferline
