#pragma once
// The third walk over the list of fields that ProfileReader and ProfileWriter share: sets some numbers and words of a
// profile that was read before. For the sources of this folder; users call set_values of a wafer or a software profile.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/object_reader.hpp"
#include "arch/profile_io.hpp"

namespace waferline {

/// Keys are those of the file without their section. What is set has no band any more: it is what was asked for.
class ProfileSetter {
 public:
  explicit ProfileSetter(ObjectReader values) : values_(std::move(values)) {}

  void identifier(std::string_view, std::string&) {}
  void text(std::string_view, std::string&) {}
  void optional_text(std::string_view, std::string&) {}

  void number(std::string_view key, Sourced<double>& out, RealRange range) {
    if (given(key)) out = {values_.real(key, range), std::nullopt, asked_for()};
  }
  void number(std::string_view key, Sourced<std::int64_t>& out, IntegerRange range) {
    if (given(key)) out = {values_.integer(key, range), std::nullopt, asked_for()};
  }
  void number_or_word(std::string_view key, Sourced<std::optional<std::int64_t>>& out, IntegerRange range,
                      std::string_view absent_word) {
    if (!given(key)) return;
    const std::string* word = values_.node(key)->string();
    out = {{}, std::nullopt, asked_for()};
    if (word == nullptr || *word != absent_word) out.value = values_.integer(key, range);
  }
  /// Given as {rows, cols}.
  void extent(std::string_view key, Sourced<Extent>& out, IntegerRange range) {
    if (!given(key)) return;
    ObjectReader sides = values_.object(key);
    if (sides.is_object()) out = {{sides.integer("rows", range), sides.integer("cols", range)}, {}, asked_for()};
  }

  template <class Tag, class Rep, class Range>
  void number(std::string_view key, Sourced<Quantity<Tag, Rep>>& out, Range range) {
    Sourced<Rep> raw;
    if (!given(key)) return;
    number(key, raw, range);
    out = {Quantity<Tag, Rep>{raw.value}, std::nullopt, std::move(raw.provenance)};
  }

  template <class T, class Range>
  void number(std::string_view key, std::optional<Sourced<T>>& out, Range range) {
    if (given(key)) number(key, out.emplace(), range);
  }

  template <class E, std::size_t N>
  void word(std::string_view key, Sourced<E>& out, const std::array<NamedValue<E>, N>& permitted) {
    if (!given(key)) return;
    const std::string read = values_.string(key);
    std::vector<std::string> names;
    for (const NamedValue<E>& known : permitted) {
      names.emplace_back(known.name);
      if (known.name == read) out = {known.value, std::nullopt, asked_for()};
    }
    check_word(key, read, names);
  }

  template <class Body>
  void section(std::string_view, Body&& body) {
    body(*this);
  }

  /// What a calibration left is no input.
  template <class T, class Body>
  void optional_section(std::string_view, std::optional<T>&, Body&&) {}

  void finish() { values_.reject_unknown_keys(); }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  bool given(std::string_view key);
  void check_word(std::string_view key, const std::string& read, const std::vector<std::string>& permitted);
  static Provenance asked_for() { return {ProvenanceKind::assumed, "asked for", "", 0, 0}; }

  ObjectReader values_;
  std::vector<std::string> keys_;
};

}  // namespace waferline
