// The gate on shipped numbers: it reads the files as plain TOML, not through the loaders, so that a loader that grew
// lax is noticed, too.
#include <fmt/format.h>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "arch/config_node.hpp"
#include "arch/sourced.hpp"
#include "arch/text_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"

using namespace waferline;

namespace {

class ProvenanceCheck {
 public:
  explicit ProvenanceCheck(std::string file) : problems_(std::move(file)) {}

  std::vector<std::string> problems_of(const ConfigNode& root) {
    walk(root, "");
    return problems_.lines();
  }
  std::int64_t numbers() const { return numbers_; }

 private:
  void walk(const ConfigNode& node, const std::string& path) {
    const ConfigNode::Object* members = node.object();
    if (members == nullptr) return;
    if (path == "fit") return check_fit(node, path);  // a fit is the provenance of the numbers beside it
    const bool sourced = node.find("value") != nullptr || node.find("rows") != nullptr;
    if (sourced) return check_sourced(node, path);
    for (const ConfigNode::Member& member : *members) {
      const std::string inner = path.empty() ? member.key : fmt::format("{}.{}", path, member.key);
      const bool number = member.value.integer() != nullptr || member.value.real() != nullptr;
      if (number) problems_.add(member.value.line(), inner, "is a number without source and kind");
      walk(member.value, inner);
    }
  }

  void check_sourced(const ConfigNode& node, const std::string& path) {
    ++numbers_;
    const ConfigNode* source = node.find("source");
    if (source == nullptr || source->string() == nullptr || source->string()->size() < 4) {
      problems_.add(node.line(), path, "has no source");
    }
    const ConfigNode* kind = node.find("kind");
    const std::string* word = kind == nullptr ? nullptr : kind->string();
    if (word == nullptr || !provenance_kind_from_name(*word)) {
      problems_.add(node.line(), path, "has no kind, or an unknown one");
    } else if (*word == "fitted") {
      check_fit(node, path);
    }
  }

  void check_fit(const ConfigNode& node, const std::string& path) {
    const ConfigNode* points = node.find("points");
    const ConfigNode* constants = node.find("constants");
    const bool complete = points != nullptr && constants != nullptr && points->integer() != nullptr &&
                          constants->integer() != nullptr && *constants->integer() >= 1 &&
                          *points->integer() > *constants->integer();
    if (!complete)
      problems_.add(node.line(), path, "is fitted, but does not say on how many points and with how many constants");
  }

  Problems problems_;
  std::int64_t numbers_ = 0;
};

void collect_keys(const ConfigNode& node, std::set<std::string>& keys) {
  if (node.array() != nullptr) {
    for (const ConfigNode& value : *node.array()) collect_keys(value, keys);
  }
  if (node.object() == nullptr) return;
  for (const ConfigNode::Member& member : *node.object()) {
    keys.insert(member.key);
    collect_keys(member.value, keys);
  }
}

}  // namespace

TEST_CASE("every shipped number has a source and a kind, and a fitted one its points and constants") {
  std::int64_t files = 0;
  std::int64_t numbers = 0;
  for (const char* folder : {"systems", "gpus", "software", "engines"}) {
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "arch" / folder)) {
      if (entry.path().extension() != ".toml") continue;
      ProvenanceCheck check(entry.path().string());
      const std::vector<std::string> problems = check.problems_of(read_toml_file(entry.path()));
      for (const std::string& problem : problems) UNSCOPED_INFO(problem);
      CHECK(problems.empty());
      CHECK(check.numbers() > 0);
      ++files;
      numbers += check.numbers();
    }
  }
  CHECK(files >= 60);
  CHECK(numbers >= 600);
}

TEST_CASE("docs/hardware.md names every key that a shipped file uses") {
  const std::string page = read_text_file(tests::source_dir() / "docs" / "hardware.md", 1 << 20);
  std::set<std::string> keys;
  for (const char* folder : {"systems", "gpus", "software", "engines"}) {
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "arch" / folder)) {
      if (entry.path().extension() == ".toml") collect_keys(read_toml_file(entry.path()), keys);
    }
  }
  CHECK(keys.size() >= 60);
  for (const std::string& key : keys) {
    INFO(key);
    const bool named = page.find(fmt::format("`{}`", key)) != std::string::npos ||
                       page.find(fmt::format("[{}]", key)) != std::string::npos ||
                       page.find(fmt::format("{} =", key)) != std::string::npos;
    CHECK(named);
  }
}

TEST_CASE("the gate on shipped numbers sees each kind of gap") {
  const auto problems_of = [](std::string_view text) {
    return ProvenanceCheck("file.toml").problems_of(parse_toml(text, "file.toml"));
  };
  CHECK(problems_of("a = { value = 1, kind = \"measured\", source = \"paper\" }").empty());
  CHECK(problems_of("a = 1").size() == 1);
  CHECK(problems_of("[pe]\na = 1.5").size() == 1);
  CHECK(problems_of("a = { value = 1, kind = \"measured\" }").size() == 1);
  CHECK(problems_of("a = { value = 1, kind = \"measured\", source = \"\" }").size() == 1);
  CHECK(problems_of("a = { value = 1, source = \"paper\" }").size() == 1);
  CHECK(problems_of("a = { value = 1, kind = \"guess\", source = \"paper\" }").size() == 1);
  CHECK(problems_of("a = { value = 1, kind = \"fitted\", source = \"paper\", points = 3 }").size() == 1);
  CHECK(problems_of("a = { value = 1, kind = \"fitted\", source = \"paper\", points = 3, constants = 3 }").size() == 1);
  CHECK(problems_of("a = { value = 1, kind = \"fitted\", source = \"paper\", points = 9, constants = 3 }").empty());
  CHECK(problems_of("[fit]\npoints = 3").size() == 1);
}
