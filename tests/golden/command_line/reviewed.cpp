// What the program prints, word for word, against the files in `expected`; tests/golden/regenerate writes them anew.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "report/version.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/shell.hpp"

using namespace waferline::tests;
using Json = nlohmann::ordered_json;

namespace {

struct Case {
  std::string file;
  std::vector<std::string> commands;
};

std::vector<Case> read_cases() {
  std::ifstream in(source_dir() / "tests/golden/command_line/cases.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[')) {
      cases.push_back({line.substr(1, line.find(']') - 1), {}});
    } else {
      REQUIRE_FALSE(cases.empty());
      cases.back().commands.push_back(line);
    }
  }
  return cases;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Without what differs between two checkouts and two releases.
std::string portable(std::string text) {
  replace_all(text, source_dir().string(), "SOURCE");
  replace_all(text, waferline::report::version(), "VERSION");
  return std::regex_replace(text, std::regex("Host: [^\n]* s, [^\n]*"), "Host: TIMES");
}

/// What a host measured of itself.
void drop_host_times(Json& json) {
  if (json.is_object() && json.contains("host")) json["host"] = nullptr;
  if (json.is_structured()) {
    for (Json& part : json) drop_host_times(part);
  }
}

/// Nine digits of every real: the last ones may differ between compilers.
void round_reals(Json& json) {
  if (json.is_number_float()) json = std::stod(fmt::format("{:.9g}", json.get<double>()));
  if (json.is_structured()) {
    for (Json& part : json) round_reals(part);
  }
}

std::string json_output(const std::string& command) {
  const ShellResult result = shell("$W " + command);
  INFO(command);
  REQUIRE(result.exit_code == 0);
  Json json = Json::parse(result.output);
  drop_host_times(json);
  round_reals(json);
  return portable(json.dump(1) + "\n");
}

std::string transcript(const std::vector<std::string>& commands) {
  std::string text;
  for (const std::string& command : commands) {
    const ShellResult result = shell("$W " + command + " 2>&1");
    text += fmt::format("$ waferline {}\n{}", command, result.output);
    if (result.exit_code != 0) text += fmt::format("[exit code {}]\n", result.exit_code);
    text += "\n";
  }
  return portable(text);
}

}  // namespace

TEST_CASE("the program prints what was reviewed") {
  for (const Case& one : read_cases()) {
    const std::string path = "tests/golden/command_line/expected/" + one.file;
    DYNAMIC_SECTION(one.file) {
      check_golden(path, one.file.ends_with(".json") ? json_output(one.commands.at(0)) : transcript(one.commands));
    }
  }
}

TEST_CASE("no line of a text answer is wider than 80 columns where no terminal says otherwise") {
  for (const char* command :
       {"list models", "list systems", "list software", "list gpus", "list engines", "list endpoints",
        "inspect deepseek-v3.2", "inspect nemotron-3-nano-30b-nvfp4", "estimate llama-3.1-8b",
        "emulate allreduce --pes 1000 --lines 64 --fabric", "estimate gpt-oss-120b --vs h100x8,b200x8,mi300x",
        "serve gpt-oss-120b --requests-per-s 5 --requests 1000",
        "estimate gpt-oss-120b --prompt-tokens 10000 --output-tokens 5000 --context 16Ki --watts 23000 "
        "--dollars-per-hour 99 "
        "--price-per-million 0.75 --draft-tokens 3 --acceptance 0.8 --draft 20us",
        "deadline --deadline 10s --overhead 1s --answer-tokens 500 --rate median=170.7 --rate cerebras=1790.3"}) {
    const ShellResult result =
        shell(std::string("$W ") + command + " | awk '{ gsub(/[\\200-\\277]/, \"\"); if (length > 80) print }'");
    INFO(command);
    CHECK(result.output.empty());
  }
}
