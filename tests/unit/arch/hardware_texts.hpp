#pragma once
// Small valid hardware files that tests change in one place.

#include <string_view>

namespace waferline::tests {

inline constexpr std::string_view kWaferText = R"(name = "mesh"
description = "8 x 6 PEs"
clock_hz = { value = 1.0e9, low = 0.9e9, high = 1.2e9, kind = "assumed", source = "test" }

[pe]
sram_bytes = { value = 49152, kind = "assumed", source = "test" }
sram_banks = { value = 8, kind = "assumed", source = "test" }
sram_read_bytes_per_cycle = { value = 16, kind = "assumed", source = "test" }
sram_write_bytes_per_cycle = { value = 8, kind = "assumed", source = "test" }
fp16_macs_per_cycle = { value = 4, low = 4, high = 8, kind = "assumed", source = "test" }
fp32_macs_per_cycle = { value = 1, kind = "assumed", source = "test" }

[fabric]
extent = { rows = 9, cols = 8, kind = "assumed", source = "test" }
usable = { rows = 8, cols = 6, kind = "assumed", source = "test" }
link_bytes_per_cycle = { value = 4, kind = "assumed", source = "test" }
wavelet_bytes = { value = 4, kind = "assumed", source = "test" }
hop_cycles = { value = 1, kind = "fitted", points = 9, constants = 2, source = "test" }
ramp_cycles = { value = 2, kind = "assumed", source = "test" }
colors = { value = 24, kind = "assumed", source = "test" }

[links]
io_bytes_per_s = { value = 1e9, kind = "assumed", source = "test" }
wafer_to_wafer_bytes_per_s = { value = 1e9, kind = "assumed", source = "test" }
wafer_to_wafer_latency_s = { value = 1e-6, kind = "assumed", source = "test" }
wafers_per_rack = { value = 1, kind = "assumed", source = "test" }

[defects]
kind = "assumed"
source = "test"
rows = [7]
cols = [5]
pes = [[0, 0], [7, 2]]

[vendor]
pes = { value = 72, kind = "vendor", source = "test" }
)";

inline constexpr std::string_view kGpuText = R"(name = "card"
description = "a card"
vendor = "nobody"
memory_bytes = { value = 80_000_000_000, kind = "assumed", source = "test" }
bandwidth_bytes_per_s = { value = 2e12, kind = "assumed", source = "test" }
achieved_bandwidth_bytes_per_s = { value = 1.8e12, kind = "measured", source = "test" }

[dense_flops_per_s]
fp16 = { value = 1e15, kind = "assumed", source = "test" }

[units]
architecture = "none"
count = { value = 100, kind = "assumed", source = "test" }
clock_hz = { value = 1.5e9, kind = "assumed", source = "test" }

[scale_up]
link = "cable"
link_bytes_per_s_per_direction = { value = 4.5e11, kind = "assumed", source = "test" }
devices_per_node = { value = 8, kind = "assumed", source = "test" }
)";

inline constexpr std::string_view kEngineText = R"(name = "engine"
description = "an engine"
gpus = ["card"]
weight_bandwidth_fraction = { value = 0.8, kind = "fitted", points = 40, constants = 5, source = "test" }
kv_bandwidth_fraction = { value = 0.5, kind = "fitted", points = 40, constants = 5, source = "test" }
layer_overhead_s = { value = 15e-6, kind = "fitted", points = 40, constants = 5, source = "test" }
allreduce_s = { value = 5e-6, kind = "fitted", points = 40, constants = 5, source = "test" }
token_overhead_s = { value = 1e-4, kind = "fitted", points = 40, constants = 5, source = "test" }

[unit_read_limit]
bytes_per_cycle = { value = 6.5, kind = "fitted", points = 40, constants = 5, source = "test" }
architectures = ["ada"]

[traits]
engine = "some engine 1.0"
measured = "2026"
device_split = "tensor"
allreduce_rounds = "tree"
kv_reads = "per_query_head"
admission = "whole_request"
arithmetic_fraction = { value = 0.5, kind = "assumed", source = "test" }
link_fraction = { value = 0.5, kind = "assumed", source = "test" }
memory_fraction = { value = 0.9, kind = "assumed", source = "test" }
layer_kernels = { value = 10, kind = "assumed", source = "test" }

[fit]
fit_class = "some-class"
data = "rows.csv"
points = 40
constants = 5
mean_abs_error_pct = 4.25
worst_abs_error_pct = 12.5
worst_id = "17"
held_out_mean_abs_error_pct = 6.5
residuals = [
  { id = "1", error_pct = -3.5 },
  { id = "17", error_pct = 12.5 },
]
)";

}  // namespace waferline::tests
