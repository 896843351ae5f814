#include <fmt/format.h>

#include "arch/profile_io.hpp"

namespace waferline {
namespace {

/// TOML basic string.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Shortest text that reads back to the same number.
std::string number_text(double value) {
  return fmt::format("{}", value);
}
std::string number_text(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string provenance_text(const Provenance& provenance) {
  std::string out = fmt::format("kind = {}", toml_string(name(provenance.kind)));
  if (provenance.kind == ProvenanceKind::fitted) {
    out += fmt::format(", points = {}, constants = {}", provenance.points, provenance.constants);
  }
  out += fmt::format(", source = {}", toml_string(provenance.source));
  if (!provenance.note.empty()) out += fmt::format(", note = {}", toml_string(provenance.note));
  return out;
}

template <class T>
std::string sourced_text(const Sourced<T>& value) {
  std::string out = fmt::format("{{ value = {}", number_text(value.value));
  if (value.band)
    out += fmt::format(", low = {}, high = {}", number_text(value.band->low), number_text(value.band->high));
  return out + fmt::format(", {} }}", provenance_text(value.provenance));
}

}  // namespace

ProfileWriter::ProfileWriter(std::string_view heading) : out_(fmt::format("# {}\n", heading)) {}

void ProfileWriter::line(std::string_view key, std::string_view value) {
  out_ += fmt::format("{} = {}\n", key, value);
}

void ProfileWriter::open_section(std::string_view key) {
  out_ += fmt::format("\n[{}]\n", key);
}

void ProfileWriter::text(std::string_view key, const std::string& value) {
  line(key, toml_string(value));
}

void ProfileWriter::optional_text(std::string_view key, const std::string& value) {
  if (!value.empty()) text(key, value);
}

void ProfileWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + toml_string(value);
  line(key, fmt::format("[{}]", list));
}

void ProfileWriter::optional_integers(std::string_view key, const std::vector<std::int64_t>& values, IntegerRange) {
  if (!values.empty()) line(key, fmt::format("[{}]", fmt::join(values, ", ")));
}

void ProfileWriter::optional_pairs(std::string_view key, const std::vector<std::array<std::int64_t, 2>>& values,
                                   IntegerRange) {
  if (values.empty()) return;
  std::string list;
  for (const auto& [first, second] : values) list += fmt::format("{}[{}, {}]", list.empty() ? "" : ", ", first, second);
  line(key, fmt::format("[{}]", list));
}

void ProfileWriter::plain(std::string_view key, std::int64_t value, IntegerRange) {
  line(key, number_text(value));
}

void ProfileWriter::plain(std::string_view key, double value, RealRange) {
  line(key, number_text(value));
}

void ProfileWriter::plain(std::string_view key, const std::optional<double>& value, RealRange) {
  if (value) line(key, number_text(*value));
}

void ProfileWriter::provenance(const Provenance& value) {
  line("kind", toml_string(name(value.kind)));
  if (value.kind == ProvenanceKind::fitted) {
    line("points", number_text(value.points));
    line("constants", number_text(value.constants));
  }
  line("source", toml_string(value.source));
  optional_text("note", value.note);
}

void ProfileWriter::residuals(std::string_view key, const std::vector<FitResidual>& values) {
  if (values.empty()) return;
  std::string list;
  for (const FitResidual& residual : values) {
    list +=
        fmt::format("  {{ id = {}, error_pct = {} }},\n", toml_string(residual.id), number_text(residual.error_pct));
  }
  line(key, fmt::format("[\n{}]", list));
}

void ProfileWriter::number(std::string_view key, const Sourced<double>& value, RealRange) {
  line(key, sourced_text(value));
}

void ProfileWriter::number(std::string_view key, const Sourced<std::int64_t>& value, IntegerRange) {
  line(key, sourced_text(value));
}

void ProfileWriter::number_or_word(std::string_view key, const Sourced<std::optional<std::int64_t>>& value,
                                   IntegerRange, std::string_view absent_word) {
  const std::string text = value.value ? number_text(*value.value) : toml_string(absent_word);
  line(key, fmt::format("{{ value = {}, {} }}", text, provenance_text(value.provenance)));
}

void ProfileWriter::extent(std::string_view key, const Sourced<Extent>& value, IntegerRange) {
  line(key, fmt::format("{{ rows = {}, cols = {}, {} }}", value.value.rows, value.value.cols,
                        provenance_text(value.provenance)));
}

void ProfileWriter::word(std::string_view key, std::string_view value, const Provenance& provenance) {
  line(key, fmt::format("{{ value = {}, {} }}", toml_string(value), provenance_text(provenance)));
}

}  // namespace waferline
