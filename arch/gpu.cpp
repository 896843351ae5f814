#include "arch/gpu.hpp"

#include <fmt/format.h>

#include "arch/profile_io.hpp"

namespace waferline {
namespace {

constexpr std::string_view kFolder = "arch/gpus";
constexpr RealRange kMemoryBytesPerSecond{1e9, 1e16};
constexpr RealRange kFlopsPerSecond{1e9, 1e18};

template <class Io, class G>
void visit_gpu(Io& io, G& gpu) {
  io.identifier("name", gpu.name);
  io.text("description", gpu.description);
  io.text("vendor", gpu.vendor);
  io.number("memory_bytes", gpu.memory, IntegerRange{100'000'000, 100'000'000'000'000});
  io.number("bandwidth_bytes_per_s", gpu.bandwidth, kMemoryBytesPerSecond);
  io.number("achieved_bandwidth_bytes_per_s", gpu.achieved_bandwidth, kMemoryBytesPerSecond);
  io.number("tdp_w", gpu.tdp, RealRange{1, 1e6});
  io.section("dense_flops_per_s", [&](auto& inner) {
    inner.number("fp16", gpu.dense.fp16, kFlopsPerSecond);
    inner.number("fp8", gpu.dense.fp8, kFlopsPerSecond);
    inner.number("fp4", gpu.dense.fp4, kFlopsPerSecond);
  });
  io.optional_section("units", gpu.units, [](auto& inner, auto& units) {
    inner.text("architecture", units.architecture);
    inner.number("count", units.count, IntegerRange{1, 1'000'000});
    inner.number("clock_hz", units.clock, RealRange{1e6, 1e11});
  });
  io.section("scale_up", [&](auto& inner) {
    inner.text("link", gpu.scale_up.link);
    inner.number("link_bytes_per_s_per_direction", gpu.scale_up.link_per_direction, RealRange{1e8, 1e14});
    inner.number("devices_per_node", gpu.scale_up.devices_per_node, IntegerRange{1, 100'000});
  });
}

void check_whole(ProfileReader& reader, const Gpu& gpu) {
  if (gpu.achieved_bandwidth) {
    const double achieved = gpu.achieved_bandwidth->value.value;
    const double nominal = gpu.bandwidth.high().value;
    reader.require(achieved <= nominal, "achieved_bandwidth_bytes_per_s",
                   fmt::format("is {}, more than the nominal {}", achieved, nominal));
  }
  reader.require(gpu.scale_up.devices_per_node.value == 1 || gpu.scale_up.link_per_direction.has_value(), "scale_up",
                 "joins several devices, so link_bytes_per_s_per_direction is required");
}

std::optional<FlopsPerSecond> rate_of(const std::optional<Sourced<FlopsPerSecond>>& rate) {
  return rate ? std::optional(rate->value) : std::nullopt;
}

}  // namespace

std::optional<FlopsPerSecond> dense_rate(const Gpu& gpu, DType dtype) {
  const int bits = bits_per_element(dtype);
  if (bits > 16) return std::nullopt;
  std::optional<FlopsPerSecond> rate = rate_of(gpu.dense.fp16);
  if (bits <= 8 && gpu.dense.fp8) rate = rate_of(gpu.dense.fp8);
  if (bits <= 4 && gpu.dense.fp4) rate = rate_of(gpu.dense.fp4);
  return rate;
}

std::vector<std::string> list_gpus() {
  return list_profiles(kFolder);
}

Gpu load_gpu(const std::string& name_or_path) {
  const ProfileFile file = read_profile(kFolder, "gpu", name_or_path);
  Gpu gpu = parse_gpu(file.text, file.file_name);
  check_profile_name(file, gpu.name);
  return gpu;
}

Gpu parse_gpu(std::string_view toml_text, const std::string& file_name) {
  const ConfigNode root = parse_toml(toml_text, file_name);
  Problems problems(file_name);
  ProfileReader reader{ObjectReader(root, problems)};
  Gpu gpu;
  visit_gpu(reader, gpu);
  reader.finish();
  problems.throw_if_any();
  check_whole(reader, gpu);
  problems.throw_if_any();
  return gpu;
}

std::string to_toml(const Gpu& gpu) {
  ProfileWriter writer("Waferline GPU; docs/hardware.md explains the keys.");
  visit_gpu(writer, gpu);
  return writer.toml();
}

}  // namespace waferline
