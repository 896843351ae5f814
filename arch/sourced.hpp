#pragma once
// A number never travels alone: value, uncertainty band, and where it comes from.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waferline {

/// How a number is known. `fitted` numbers also say on how many points and together with how many constants.
enum class ProvenanceKind : std::uint8_t { measured, simulated, vendor, derived, fitted, assumed };

std::string_view name(ProvenanceKind kind);
std::optional<ProvenanceKind> provenance_kind_from_name(std::string_view text);

/// Where a number comes from.
struct Provenance {
  ProvenanceKind kind = ProvenanceKind::assumed;
  std::string source;          // paper, public file, vendor page or the derivation; never empty in a loaded file
  std::string note;            // disagreements and caveats; may be empty
  std::int64_t points = 0;     // `fitted` only: measured points used
  std::int64_t constants = 0;  // `fitted` only: constants fitted together on these points

  bool operator==(const Provenance&) const = default;
};

/// For tables: "measured", "vendor", ..., "fitted on 24 points, 2 constants".
std::string describe(const Provenance& provenance);

/// Uncertainty of a value: the truth is taken to lie in [low, high]. In the unit of the value.
template <class T>
struct Band {
  T low{};
  T high{};
  bool operator==(const Band&) const = default;
};

/// A value with its band and its provenance. Without a band the value stands for itself at both ends.
template <class T>
struct Sourced {
  T value{};
  std::optional<Band<T>> band;
  Provenance provenance;

  const T& low() const { return band ? band->low : value; }
  const T& high() const { return band ? band->high : value; }
  bool operator==(const Sourced&) const = default;
};

}  // namespace waferline
