#include "report/inspect.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::report;

namespace {

/// A model whose layers are of the kinds that `pattern` names, one letter each.
models::Inspection patterned(const std::string& pattern) {
  models::Inspection model;
  model.name = "patterned";
  model.layers = std::ssize(pattern);
  model.parameters.decoder = 1000;
  for (const char kind : pattern) {
    models::LayerRow row;
    row.mixer = std::string("kind ") + kind;
    row.ffn = "gated";
    row.parameters = 10;
    model.per_layer.push_back(row);
  }
  return model;
}

/// First column of the layer table's row about a kind.
std::string layers_of(const std::string& pattern, char kind) {
  const Lines lines = inspect_text(patterned(pattern), {120, false});
  const std::string mixer = std::string("kind ") + kind;
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const std::string& line) { return line.find(mixer) != std::string::npos; });
  if (found == lines.end()) return "";
  const std::string cell = found->substr(2, found->find(mixer) - 2);
  return cell.substr(0, cell.find_last_not_of(' ') + 1);
}

}  // namespace

TEST_CASE("equal layers share a line of inspect, named by runs of equal stride") {
  CHECK(layers_of("aaaa", 'a') == "0-3");
  CHECK(layers_of("abab", 'a') == "0, 2");
  CHECK(layers_of("ababab", 'a') == "0-4 by 2");
  CHECK(layers_of("ababab", 'b') == "1-5 by 2");
  CHECK(layers_of("bbba", 'a') == "3");
  CHECK(layers_of("aabaab", 'a') == "0-1, 3-4");
  CHECK(layers_of("abbaaa", 'a') == "0, 3-5");
  CHECK(layers_of("baab", 'b') == "0, 3");
}

TEST_CASE("inspect leaves out what a model does not have") {
  const std::string text = joined(inspect_text(patterned("a"), {80, false}));
  CHECK(text.find("vision") == std::string::npos);
  CHECK(text.find("recurrent state") == std::string::npos);
  CHECK(text.find("if windows do not save memory") == std::string::npos);
  CHECK(text.find("longest context not stated") != std::string::npos);
}
