#include "arch/software.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/profile_io.hpp"
#include "arch/profile_setter.hpp"

namespace waferline {
namespace {

constexpr std::string_view kFolder = "arch/software";

constexpr std::array<NamedValue<ReduceAlgorithm>, 4> kAlgorithms{{{"chain", ReduceAlgorithm::chain},
                                                                  {"k_tree", ReduceAlgorithm::k_tree},
                                                                  {"star", ReduceAlgorithm::star},
                                                                  {"ring", ReduceAlgorithm::ring}}};
constexpr std::array<NamedValue<ReduceRoot>, 2> kRoots{{{"end", ReduceRoot::end}, {"middle", ReduceRoot::middle}}};
constexpr std::array<NamedValue<PayloadCost>, 2> kPayloads{
    {{"counted", PayloadCost::counted}, {"hidden", PayloadCost::hidden}}};
constexpr std::array<NamedValue<LoopOrder>, 2> kLoopOrders{
    {{"per_input", LoopOrder::per_input}, {"shorter", LoopOrder::shorter}}};
constexpr std::array<NamedValue<DType>, 3> kAccumulators{
    {{"fp32", DType::fp32}, {"fp16", DType::fp16}, {"bf16", DType::bf16}}};

constexpr RealRange kCycles{0, 1e6};
constexpr RealRange kSeconds{0, 1};
constexpr IntegerRange kBytes{0, 1 << 26};

template <class Io, class P>
void visit_pe(Io& io, P& p) {
  io.number("vector_instruction_overhead_cycles", p.vector_instruction_overhead, kCycles);
  io.number("fabric_stream_overhead_cycles", p.fabric_stream_overhead, kCycles);
  io.number("elementwise_cycles_per_element", p.elementwise_per_element, kCycles);
  io.number("exponential_cycles_per_element", p.exponential_per_element, kCycles);
  io.number("special_cycles_per_scalar", p.special_per_scalar, kCycles);
  io.number("dequantise_cycles_per_element", p.dequantise_per_element, kCycles);
  io.word("loop_order", p.loop_order, kLoopOrders);
  io.word("accumulate", p.accumulate, kAccumulators);
}

template <class Io, class P>
void visit_collective(Io& io, P& p) {
  io.number("stage_overhead_cycles", p.stage_overhead, kCycles);
  io.number("startup_cycles", p.collective_startup, kCycles);
  io.number("hop_cycles", p.hop_override, RealRange{0.25, 1000});
  io.word("algorithm", p.reduce, kAlgorithms);
  io.word("root", p.root, kRoots);
  io.number("tree_levels", p.tree_levels, IntegerRange{1, 4});
  io.number_or_word("group_pes", p.group_pes, IntegerRange{1, 16384}, "best");
  io.word("payload", p.payload, kPayloads);
}

template <class Io, class P>
void visit_software(Io& io, P& p) {
  io.identifier("name", p.name);
  io.text("description", p.description);
  io.optional_text("wafer", p.wafer);
  io.section("pe", [&](auto& inner) { visit_pe(inner, p); });
  io.section("collective", [&](auto& inner) { visit_collective(inner, p); });
  io.section("memory", [&](auto& inner) {
    inner.number("code_bytes", p.code, kBytes);
    inner.number("buffer_bytes", p.buffers, kBytes);
    inner.number("system_bytes", p.system, kBytes);
  });
  io.section("token", [&](auto& inner) {
    inner.number("fixed_s", p.fixed_per_token, kSeconds);
    inner.number("per_wafer_hop_s", p.per_wafer_hop, kSeconds);
    inner.number("accepted_tokens", p.accepted_tokens, RealRange{1, 64});
  });
  io.optional_section("fit", p.fit, [](auto& inner, auto& fit) { visit_fit(inner, fit); });
}

}  // namespace

std::string_view name(ReduceAlgorithm algorithm) {
  return name_in(kAlgorithms, algorithm);
}
std::string_view name(ReduceRoot root) {
  return name_in(kRoots, root);
}
std::string_view name(PayloadCost cost) {
  return name_in(kPayloads, cost);
}
std::string_view name(LoopOrder order) {
  return name_in(kLoopOrders, order);
}

std::vector<std::string> list_software() {
  return list_profiles(kFolder);
}

SoftwareProfile load_software(const std::string& name_or_path) {
  const ProfileFile file = read_profile(kFolder, "software profile", name_or_path);
  SoftwareProfile profile = parse_software(file.text, file.file_name);
  check_profile_name(file, profile.name);
  return profile;
}

SoftwareProfile parse_software(std::string_view toml_text, const std::string& file_name) {
  const ConfigNode root = parse_toml(toml_text, file_name);
  Problems problems(file_name);
  ProfileReader reader{ObjectReader(root, problems)};
  SoftwareProfile profile;
  visit_software(reader, profile);
  reader.finish();
  problems.throw_if_any();
  return profile;
}

void set_values(SoftwareProfile& software, const ConfigNode& values, Problems& problems) {
  ProfileSetter setter{ObjectReader(values, problems, "software")};
  visit_software(setter, software);
  setter.finish();
}

std::vector<std::string> settable_software_keys() {
  const ConfigNode nothing(ConfigNode::Object{}, 0);
  Problems problems("");
  ProfileSetter setter{ObjectReader(nothing, problems)};
  SoftwareProfile software;
  visit_software(setter, software);
  return setter.keys();
}

std::string to_toml(const SoftwareProfile& profile) {
  ProfileWriter writer("Waferline software profile; docs/hardware.md explains the keys.");
  visit_software(writer, profile);
  return writer.toml();
}

}  // namespace waferline
