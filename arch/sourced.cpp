#include "arch/sourced.hpp"

#include <fmt/format.h>

#include <array>

namespace waferline {
namespace {

constexpr std::array<std::string_view, 6> kNames{"measured", "simulated", "vendor", "derived", "fitted", "assumed"};

}  // namespace

std::string_view name(ProvenanceKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<ProvenanceKind> provenance_kind_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<ProvenanceKind>(i);
  }
  return std::nullopt;
}

std::string describe(const Provenance& provenance) {
  if (provenance.kind != ProvenanceKind::fitted) return std::string(name(provenance.kind));
  return fmt::format("fitted on {} points, {} constant{}", provenance.points, provenance.constants,
                     provenance.constants == 1 ? "" : "s");
}

}  // namespace waferline
