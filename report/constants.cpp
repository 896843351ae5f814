#include "report/constants.hpp"

namespace waferline::report {
namespace {

double raw(double value) {
  return value;
}
template <class Tag>
double raw(Quantity<Tag, double> quantity) {
  return quantity.value;
}

template <class T>
Constant constant(const char* name, const char* unit, const Sourced<T>& number) {
  return {name, unit, raw(number.value), raw(number.low()), raw(number.high()), number.provenance};
}

}  // namespace

std::vector<Constant> constants_of(const SoftwareProfile& profile) {
  std::vector<Constant> constants{
      constant("vector_instruction_overhead", "cycles", profile.vector_instruction_overhead),
      constant("fabric_stream_overhead", "cycles", profile.fabric_stream_overhead),
      constant("elementwise_per_element", "cycles", profile.elementwise_per_element),
      constant("exponential_per_element", "cycles", profile.exponential_per_element),
      constant("stage_overhead", "cycles", profile.stage_overhead),
      constant("collective_startup", "cycles", profile.collective_startup),
      constant("fixed_per_token", "s", profile.fixed_per_token),
      constant("per_wafer_hop", "s", profile.per_wafer_hop)};
  if (profile.accepted_tokens) constants.push_back(constant("accepted_tokens", "tokens", *profile.accepted_tokens));
  return constants;
}

std::vector<Constant> constants_of(const GpuEngine& engine) {
  return {constant("weight_bandwidth_fraction", "", engine.weight_bandwidth_fraction),
          constant("kv_bandwidth_fraction", "", engine.kv_bandwidth_fraction),
          constant("layer_overhead", "s", engine.layer_overhead), constant("allreduce", "s", engine.allreduce),
          constant("token_overhead", "s", engine.token_overhead)};
}

}  // namespace waferline::report
