// Any text is a list of values within the stated number, or a ConfigError that names its flag; a list written out is
// read as itself.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "arch/error.hpp"
#include "cli/sweep/value_lists.hpp"

namespace {

void check(std::string_view text) {
  using namespace waferline::cli;
  const std::vector<std::string> values = expand_list("--set", text);
  if (values.empty() || static_cast<std::int64_t>(values.size()) > most_listed_values) std::abort();
  std::string written;
  for (const std::string& value : values) written += (written.empty() ? "" : ",") + value;
  if (expand_list("--set", written) != values) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check({reinterpret_cast<const char*>(data), size});
  } catch (const waferline::ConfigError& problem) {
    if (std::string(problem.what()).rfind("--set: ", 0) != 0) std::abort();
  }
  return 0;
}
