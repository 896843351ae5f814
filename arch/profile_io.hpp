#pragma once
// One list of fields, read and written: each kind of hardware file names its keys once, in a function template `visit`,
// and ProfileReader and ProfileWriter walk it. For the sources of this folder; users call load_wafer and its like.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/fit_record.hpp"
#include "arch/object_reader.hpp"
#include "arch/region.hpp"
#include "arch/sourced.hpp"
#include "arch/units.hpp"

namespace waferline {

/// A word of a file and what it stands for.
template <class E>
struct NamedValue {
  std::string_view name;
  E value;
};

template <class E, std::size_t N>
std::string_view name_in(const std::array<NamedValue<E>, N>& names, E value) {
  for (const NamedValue<E>& known : names) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// The same knowledge about a value of another type.
template <class To, class From>
Sourced<To> with_value(const Sourced<From>& from, To value) {
  return {value, std::nullopt, from.provenance};
}

/// Reads fields with their ranges; every problem goes to the reader's list.
class ProfileReader {
 public:
  explicit ProfileReader(ObjectReader object) : object_(std::move(object)) {}

  /// Lower-case letters, digits, '.', '-' and '_'.
  void identifier(std::string_view key, std::string& out);
  void text(std::string_view key, std::string& out);
  void optional_text(std::string_view key, std::string& out);
  void texts(std::string_view key, std::vector<std::string>& out);
  void optional_integers(std::string_view key, std::vector<std::int64_t>& out, IntegerRange range);
  /// List of pairs, such as [[1, 2], [3, 4]].
  void optional_pairs(std::string_view key, std::vector<std::array<std::int64_t, 2>>& out, IntegerRange range);
  void plain(std::string_view key, std::int64_t& out, IntegerRange range) { out = object_.integer(key, range); }
  void plain(std::string_view key, double& out, RealRange range) { out = object_.real(key, range); }
  void plain(std::string_view key, std::optional<double>& out, RealRange range) {
    out = object_.optional_real(key, range);
  }
  void provenance(Provenance& out);
  void residuals(std::string_view key, std::vector<FitResidual>& out);

  void number(std::string_view key, Sourced<double>& out, RealRange range);
  void number(std::string_view key, Sourced<std::int64_t>& out, IntegerRange range);
  /// An integer or the word `absent_word`, which reads as nothing.
  void number_or_word(std::string_view key, Sourced<std::optional<std::int64_t>>& out, IntegerRange range,
                      std::string_view absent_word);
  void extent(std::string_view key, Sourced<Extent>& out, IntegerRange range);

  template <class Tag, class Rep, class Range>
  void number(std::string_view key, Sourced<Quantity<Tag, Rep>>& out, Range range) {
    using Unit = Quantity<Tag, Rep>;
    Sourced<Rep> raw;
    number(key, raw, range);
    out = {Unit{raw.value}, std::nullopt, raw.provenance};
    if (raw.band) out.band = Band<Unit>{Unit{raw.band->low}, Unit{raw.band->high}};
  }

  template <class T, class Range>
  void number(std::string_view key, std::optional<Sourced<T>>& out, Range range) {
    object_.ignore({key});
    if (object_.has(key)) number(key, out.emplace(), range);
  }

  template <class E, std::size_t N>
  void word(std::string_view key, Sourced<E>& out, const std::array<NamedValue<E>, N>& permitted) {
    std::vector<std::string_view> names;
    for (const NamedValue<E>& known : permitted) names.push_back(known.name);
    const Sourced<std::string> read = word(key, names);
    for (const NamedValue<E>& known : permitted) {
      if (known.name == read.value) out = with_value(read, known.value);
    }
  }

  /// A word without provenance: it says how something works, not how much.
  template <class E, std::size_t N>
  void choice(std::string_view key, E& out, const std::array<NamedValue<E>, N>& permitted) {
    const std::string read = object_.string(key);
    std::vector<std::string_view> names;
    for (const NamedValue<E>& known : permitted) {
      names.push_back(known.name);
      if (known.name == read) out = known.value;
    }
    check_word(key, read, names);
  }

  template <class Body>
  void section(std::string_view key, Body&& body) {
    ProfileReader inner(object_.object(key));
    body(inner);
    inner.finish();
  }

  /// Reads the section into `out` if it is there.
  template <class T, class Body>
  void optional_section(std::string_view key, std::optional<T>& out, Body&& body) {
    object_.ignore({key});
    if (!object_.has(key)) return;
    section(key, [&](ProfileReader& inner) { body(inner, out.emplace()); });
  }

  /// Reports a problem at `key` unless `holds`; for conditions between fields.
  void require(bool holds, std::string_view key, const std::string& text) {
    if (!holds) object_.problem(key, text);
  }
  bool clean() const { return object_.problems().empty(); }
  void finish() { object_.reject_unknown_keys(); }

 private:
  Sourced<std::string> word(std::string_view key, const std::vector<std::string_view>& permitted);
  void check_word(std::string_view key, const std::string& read, const std::vector<std::string_view>& permitted);
  /// The table under `key`, or nothing after a problem was noted.
  std::optional<ObjectReader> sourced_table(std::string_view key);

  ObjectReader object_;
};

/// Writes the same fields as TOML.
class ProfileWriter {
 public:
  explicit ProfileWriter(std::string_view heading);

  void identifier(std::string_view key, const std::string& value) { text(key, value); }
  void text(std::string_view key, const std::string& value);
  void optional_text(std::string_view key, const std::string& value);
  void texts(std::string_view key, const std::vector<std::string>& values);
  void optional_integers(std::string_view key, const std::vector<std::int64_t>& values, IntegerRange range);
  void optional_pairs(std::string_view key, const std::vector<std::array<std::int64_t, 2>>& values, IntegerRange range);
  void plain(std::string_view key, std::int64_t value, IntegerRange range);
  void plain(std::string_view key, double value, RealRange range);
  void plain(std::string_view key, const std::optional<double>& value, RealRange range);
  void provenance(const Provenance& value);
  void residuals(std::string_view key, const std::vector<FitResidual>& values);

  void number(std::string_view key, const Sourced<double>& value, RealRange range);
  void number(std::string_view key, const Sourced<std::int64_t>& value, IntegerRange range);
  void number_or_word(std::string_view key, const Sourced<std::optional<std::int64_t>>& value, IntegerRange range,
                      std::string_view absent_word);
  void extent(std::string_view key, const Sourced<Extent>& value, IntegerRange range);

  template <class Tag, class Rep, class Range>
  void number(std::string_view key, const Sourced<Quantity<Tag, Rep>>& value, Range range) {
    Sourced<Rep> raw{value.value.value, std::nullopt, value.provenance};
    if (value.band) raw.band = Band<Rep>{value.band->low.value, value.band->high.value};
    number(key, raw, range);
  }

  template <class T, class Range>
  void number(std::string_view key, const std::optional<Sourced<T>>& value, Range range) {
    if (value) number(key, *value, range);
  }

  template <class E, std::size_t N>
  void word(std::string_view key, const Sourced<E>& value, const std::array<NamedValue<E>, N>& permitted) {
    word(key, name_in(permitted, value.value), value.provenance);
  }

  template <class E, std::size_t N>
  void choice(std::string_view key, E value, const std::array<NamedValue<E>, N>& permitted) {
    text(key, std::string(name_in(permitted, value)));
  }

  template <class Body>
  void section(std::string_view key, Body&& body) {
    open_section(key);
    body(*this);
  }

  template <class T, class Body>
  void optional_section(std::string_view key, const std::optional<T>& value, Body&& body) {
    if (value) section(key, [&](ProfileWriter& inner) { body(inner, *value); });
  }

  const std::string& toml() const { return out_; }

 private:
  void open_section(std::string_view key);
  void word(std::string_view key, std::string_view value, const Provenance& provenance);
  void line(std::string_view key, std::string_view value);

  std::string out_;
};

/// The fields of a fit, in the order in which they are written.
template <class Io, class Record>
void visit_fit(Io& io, Record& fit) {
  constexpr RealRange kErrorPct{0, 1e6};
  io.text("fit_class", fit.fit_class);
  io.text("data", fit.data);
  io.plain("points", fit.points, IntegerRange{1, 1'000'000'000});
  io.plain("constants", fit.constants, IntegerRange{1, 1000});
  io.plain("mean_abs_error_pct", fit.mean_abs_error_pct, kErrorPct);
  io.plain("worst_abs_error_pct", fit.worst_abs_error_pct, kErrorPct);
  io.optional_text("worst_id", fit.worst_id);
  io.plain("held_out_mean_abs_error_pct", fit.held_out_mean_abs_error_pct, kErrorPct);
  io.plain("held_out_worst_abs_error_pct", fit.held_out_worst_abs_error_pct, kErrorPct);
  io.plain("bound_mean_abs_error_pct", fit.bound_mean_abs_error_pct, kErrorPct);
  io.residuals("residuals", fit.residuals);
}

/// Files NAME.toml of a folder of shipped data, as sorted names.
std::vector<std::string> list_profiles(std::string_view folder);

/// A profile before it is parsed.
struct ProfileFile {
  std::string text;
  std::string file_name;
  std::string expected_name;  // empty for a path: users may call their files as they like
};

/// What `name_or_path` means: a path if it ends in ".toml" or holds a '/', else a name in `folder` of the shipped data.
/// `what` is "system", "gpu", ... for messages.
/// Errors: ConfigError; for an unknown name with the nearest one, or all that there are.
ProfileFile read_profile(std::string_view folder, std::string_view what, const std::string& name_or_path);

/// Errors: ConfigError if a shipped profile does not bear the name of its file.
void check_profile_name(const ProfileFile& file, const std::string& name);

}  // namespace waferline
