#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/profile_io.hpp"

namespace waferline {
namespace {

constexpr IntegerRange kPointRange{1, 1'000'000'000};

bool is_identifier(std::string_view text) {
  const auto permitted = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= 64 && text.front() != '.' && std::all_of(text.begin(), text.end(), permitted);
}

Provenance read_provenance(ObjectReader& table) {
  Provenance out;
  const std::string kind = table.one_of("kind", {"measured", "simulated", "vendor", "derived", "fitted", "assumed"});
  out.kind = provenance_kind_from_name(kind).value_or(ProvenanceKind::assumed);
  out.source = table.string("source");
  if (out.source.empty() && table.has_value("source"))
    table.problem("source", "is empty, say where the number is from");
  out.note = table.optional_string("note").value_or("");
  if (out.kind == ProvenanceKind::fitted) {
    out.points = table.integer("points", kPointRange);
    out.constants = table.integer("constants", kPointRange);
    if (out.points < out.constants) {
      table.problem("points", fmt::format("is {}, too few for {} constants", out.points, out.constants));
    }
  }
  for (const std::string_view key : {"points", "constants"}) {
    if (out.kind == ProvenanceKind::fitted || !table.has(key)) continue;
    table.ignore({key});
    table.problem(key, fmt::format("belongs to numbers of kind fitted, this one is {}", name(out.kind)));
  }
  return out;
}

/// `value`, `low`, `high` and provenance, with `read` for one number. The band is whole or absent, and holds the value.
template <class T, class Read>
Sourced<T> read_sourced(ObjectReader& table, const Read& read) {
  Sourced<T> out;
  const std::size_t before = table.problems().count();
  out.value = read("value");
  const bool has_low = table.has("low");
  const bool has_high = table.has("high");
  if (has_low && has_high) {
    out.band = Band<T>{read("low"), read("high")};
    const bool ordered = out.band->low <= out.value && out.value <= out.band->high;
    if (!ordered && table.problems().count() == before) {
      table.problem("value", fmt::format("is {}, which is not between low {} and high {}", out.value, out.band->low,
                                         out.band->high));
    }
  } else if (has_low || has_high) {
    table.ignore({"low", "high"});
    table.problem(has_low ? "low" : "high", "stands alone, a band has both low and high");
  } else {
    table.ignore({"low", "high"});
  }
  out.provenance = read_provenance(table);
  table.reject_unknown_keys();
  return out;
}

}  // namespace

void ProfileReader::identifier(std::string_view key, std::string& out) {
  out = object_.string(key);
  const ConfigNode* node = object_.node(key);
  if (node != nullptr && node->string() != nullptr && !is_identifier(out)) {
    object_.problem(key,
                    fmt::format("is {}, permitted are 1 to 64 of a-z, 0-9, '.', '-' and '_', not starting with '.'",
                                node->describe()));
  }
}

void ProfileReader::text(std::string_view key, std::string& out) {
  out = object_.string(key);
  const ConfigNode* node = object_.node(key);
  if (node != nullptr && node->string() != nullptr && out.empty()) object_.problem(key, "is empty, a text is required");
}

void ProfileReader::optional_text(std::string_view key, std::string& out) {
  out = object_.optional_string(key).value_or("");
}

void ProfileReader::texts(std::string_view key, std::vector<std::string>& out) {
  out = object_.strings(key);
}

void ProfileReader::optional_integers(std::string_view key, std::vector<std::int64_t>& out, IntegerRange range) {
  out = object_.optional_integers(key, range).value_or(std::vector<std::int64_t>{});
}

void ProfileReader::optional_pairs(std::string_view key, std::vector<std::array<std::int64_t, 2>>& out,
                                   IntegerRange range) {
  const ConfigNode* node = object_.node(key);
  if (node == nullptr) return;
  const auto wrong = [&](const ConfigNode& value) {
    object_.problem(key, fmt::format("is {}, pairs [row, column] of integers from {} to {} were expected",
                                     value.describe(), range.lowest, range.highest));
  };
  if (node->array() == nullptr) return wrong(*node);
  for (const ConfigNode& pair : *node->array()) {
    const ConfigNode::Array* both = pair.array();
    if (both == nullptr || both->size() != 2) return wrong(pair);
    std::array<std::int64_t, 2> read{};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t* number = (*both)[i].integer();
      if (number == nullptr || *number < range.lowest || *number > range.highest) return wrong((*both)[i]);
      read[i] = *number;
    }
    out.push_back(read);
  }
}

void ProfileReader::provenance(Provenance& out) {
  out = read_provenance(object_);
}

void ProfileReader::residuals(std::string_view key, std::vector<FitResidual>& out) {
  const ConfigNode* node = object_.node(key);
  if (node == nullptr) return;
  if (node->array() == nullptr)
    return object_.problem(key, fmt::format("is {}, a list was expected", node->describe()));
  for (const ConfigNode& element : *node->array()) {
    ObjectReader table(element, object_.problems(), object_.path_of(key));
    FitResidual residual;
    residual.id = table.string("id");
    residual.error_pct = table.real("error_pct", {-100, 1e6});
    table.reject_unknown_keys();
    out.push_back(std::move(residual));
  }
}

std::optional<ObjectReader> ProfileReader::sourced_table(std::string_view key) {
  const ConfigNode* node = object_.node(key);
  if (node != nullptr && node->object() == nullptr) {
    object_.problem(key, fmt::format("is {}, a table with value, kind and source was expected", node->describe()));
    return std::nullopt;
  }
  if (node == nullptr) {
    if (object_.is_object()) object_.problem(key, "is missing, a table with value, kind and source is required");
    return std::nullopt;
  }
  return object_.object(key);
}

void ProfileReader::number(std::string_view key, Sourced<double>& out, RealRange range) {
  std::optional<ObjectReader> table = sourced_table(key);
  if (table) out = read_sourced<double>(*table, [&](std::string_view part) { return table->real(part, range); });
}

void ProfileReader::number(std::string_view key, Sourced<std::int64_t>& out, IntegerRange range) {
  std::optional<ObjectReader> table = sourced_table(key);
  if (table)
    out = read_sourced<std::int64_t>(*table, [&](std::string_view part) { return table->integer(part, range); });
}

void ProfileReader::number_or_word(std::string_view key, Sourced<std::optional<std::int64_t>>& out, IntegerRange range,
                                   std::string_view absent_word) {
  std::optional<ObjectReader> table = sourced_table(key);
  if (!table) return;
  const ConfigNode* value = table->node("value");
  if (value != nullptr && value->string() != nullptr) {
    if (*value->string() != absent_word) {
      table->problem("value", fmt::format("is {}, permitted are \"{}\" and {} to {}", value->describe(), absent_word,
                                          range.lowest, range.highest));
    }
  } else {
    out.value = table->integer("value", range);
  }
  out.provenance = read_provenance(*table);
  table->reject_unknown_keys();
}

void ProfileReader::extent(std::string_view key, Sourced<Extent>& out, IntegerRange range) {
  std::optional<ObjectReader> table = sourced_table(key);
  if (!table) return;
  out.value.rows = table->integer("rows", range);
  out.value.cols = table->integer("cols", range);
  out.provenance = read_provenance(*table);
  table->reject_unknown_keys();
}

Sourced<std::string> ProfileReader::word(std::string_view key, const std::vector<std::string_view>& permitted) {
  Sourced<std::string> out;
  std::optional<ObjectReader> table = sourced_table(key);
  if (!table) return out;
  ProfileReader inner(*std::move(table));
  out.value = inner.object_.string("value");
  inner.check_word("value", out.value, permitted);
  out.provenance = read_provenance(inner.object_);
  inner.finish();
  return out;
}

void ProfileReader::check_word(std::string_view key, const std::string& read,
                               const std::vector<std::string_view>& permitted) {
  const ConfigNode* value = object_.node(key);
  if (value == nullptr || value->string() == nullptr) return;
  if (std::find(permitted.begin(), permitted.end(), read) != permitted.end()) return;
  object_.problem(key, fmt::format("is {}, permitted are {}", value->describe(), fmt::join(permitted, ", ")));
}

}  // namespace waferline
