#include "arch/gpu_engine.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/profile_io.hpp"

namespace waferline {
namespace {

constexpr std::string_view kFolder = "arch/engines";
/// Above 1 a device would beat its own memory; a fit that ends there has bad rows.
constexpr RealRange kFraction{1e-3, 1};
constexpr RealRange kSeconds{0, 1};

constexpr std::array<NamedValue<DeviceSplit>, 2> kSplits{
    {{"tensor", DeviceSplit::tensor}, {"layers", DeviceSplit::layers}}};
constexpr std::array<NamedValue<AllreduceRounds>, 2> kRounds{
    {{"one_shot", AllreduceRounds::one_shot}, {"tree", AllreduceRounds::tree}}};
constexpr std::array<NamedValue<KvReads>, 2> kKvReads{
    {{"per_kv_head", KvReads::per_kv_head}, {"per_query_head", KvReads::per_query_head}}};
constexpr std::array<NamedValue<Admission>, 2> kAdmissions{
    {{"whole_request", Admission::whole_request}, {"current_tokens", Admission::current_tokens}}};

template <class Io, class T>
void visit_traits(Io& io, T& traits) {
  io.text("engine", traits.engine);
  io.text("measured", traits.measured);
  io.choice("device_split", traits.device_split, kSplits);
  io.choice("allreduce_rounds", traits.allreduce_rounds, kRounds);
  io.choice("kv_reads", traits.kv_reads, kKvReads);
  io.choice("admission", traits.admission, kAdmissions);
  io.number("arithmetic_fraction", traits.arithmetic_fraction, kFraction);
  io.number("link_fraction", traits.link_fraction, kFraction);
  io.number("memory_fraction", traits.memory_fraction, kFraction);
  io.number("layer_kernels", traits.layer_kernels, RealRange{1, 1000});
}

template <class Io, class E>
void visit_engine(Io& io, E& engine) {
  io.identifier("name", engine.name);
  io.text("description", engine.description);
  io.texts("gpus", engine.gpus);
  io.number("weight_bandwidth_fraction", engine.weight_bandwidth_fraction, kFraction);
  io.number("kv_bandwidth_fraction", engine.kv_bandwidth_fraction, kFraction);
  io.number("layer_overhead_s", engine.layer_overhead, kSeconds);
  io.number("allreduce_s", engine.allreduce, kSeconds);
  io.number("token_overhead_s", engine.token_overhead, kSeconds);
  io.optional_section("unit_read_limit", engine.unit_read_limit, [](auto& inner, auto& limit) {
    inner.number("bytes_per_cycle", limit.bytes_per_cycle, RealRange{1e-3, 1e6});
    inner.texts("architectures", limit.architectures);
  });
  io.section("traits", [&](auto& inner) { visit_traits(inner, engine.traits); });
  io.section("fit", [&](auto& inner) { visit_fit(inner, engine.fit); });
}

}  // namespace

std::string_view name(DeviceSplit split) {
  return name_in(kSplits, split);
}
std::string_view name(AllreduceRounds rounds) {
  return name_in(kRounds, rounds);
}
std::string_view name(KvReads reads) {
  return name_in(kKvReads, reads);
}
std::string_view name(Admission admission) {
  return name_in(kAdmissions, admission);
}

std::vector<std::string> list_gpu_engines() {
  return list_profiles(kFolder);
}

GpuEngine load_gpu_engine(const std::string& name_or_path) {
  const ProfileFile file = read_profile(kFolder, "gpu engine", name_or_path);
  GpuEngine engine = parse_gpu_engine(file.text, file.file_name);
  check_profile_name(file, engine.name);
  return engine;
}

GpuEngine parse_gpu_engine(std::string_view toml_text, const std::string& file_name) {
  const ConfigNode root = parse_toml(toml_text, file_name);
  Problems problems(file_name);
  ProfileReader reader{ObjectReader(root, problems)};
  GpuEngine engine;
  visit_engine(reader, engine);
  reader.finish();
  problems.throw_if_any();
  return engine;
}

std::string to_toml(const GpuEngine& engine) {
  ProfileWriter writer("Waferline GPU engine; docs/hardware.md explains the keys.");
  visit_engine(writer, engine);
  return writer.toml();
}

}  // namespace waferline
