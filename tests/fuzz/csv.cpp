// Any bytes give a table or a ConfigError, never a crash; a table has as many fields in each record as columns, and its
// fields written anew read back equal.
#include <cstdint>
#include <cstdlib>

#include "arch/error.hpp"
#include "traces/csv.hpp"

namespace {

void check_round_trip(const waferline::traces::CsvTable& table) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      text += (i > 0 ? "," : "") + waferline::traces::csv_field(fields[i]);
    text += "\n";
  };
  add(table.columns());
  for (const auto& record : table.records()) {
    if (record.fields.size() != table.columns().size()) std::abort();
    add(record.fields);
  }
  const waferline::traces::CsvTable again = waferline::traces::parse_csv(text, "again");
  if (again.columns() != table.columns() || again.size() != table.size()) std::abort();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (again.records()[i].fields != table.records()[i].fields) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_round_trip(waferline::traces::parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const waferline::ConfigError&) {
  }
  return 0;
}
