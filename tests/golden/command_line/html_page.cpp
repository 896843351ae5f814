// Every number of a page against the document of the same run, without a browser.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace waferline::tests;
using Json = nlohmann::json;

namespace {

struct Page {
  std::string html;
  Json json;
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Page page_of(const std::string& command) {
  std::string folder = (std::filesystem::temp_directory_path() / "waferline-page-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string base = folder + "/page";
  INFO(command);
  REQUIRE(shell("$W " + command + " --html " + base + ".html --json " + base + ".json 2>&1").exit_code == 0);
  Page page{content(base + ".html"), Json::parse(content(base + ".json"))};
  std::filesystem::remove_all(folder);
  return page;
}

/// Value of a number as it is shown, e.g. "1,492", "670.4 us", "36.9 %", "16.06 GB", "8.030B", "3.83x".
double shown_value(const std::string& text) {
  static const std::map<std::string, double> units{{"", 1},     {"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
                                                   {"%", 1e-2}, {"x", 1},    {"B", 1e9},   {"M", 1e6},   {"KB", 1e3},
                                                   {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"T", 1e12}};
  std::string digits;
  std::size_t at = 0;
  for (; at < text.size() && std::string("0123456789.,-e").find(text[at]) != std::string::npos; ++at) {
    if (text[at] != ',') digits += text[at];
  }
  if (at < text.size() && text[at] == ' ') ++at;
  INFO("shown as " << text);
  REQUIRE(units.count(text.substr(at)) == 1);
  return std::stod(digits) * units.at(text.substr(at));
}

/// All numbers of the page; returns their pointers.
std::set<std::string> check_numbers(const Page& page) {
  static const std::regex pattern(R"re(data-key="([^"]*)" data-value="([^"]*)"[^>]*>([^<]*)<)re");
  std::set<std::string> keys;
  for (std::sregex_iterator at(page.html.begin(), page.html.end(), pattern), end; at != end; ++at) {
    const std::string key = (*at)[1];
    INFO(key << " = " << (*at)[2] << ", shown as " << (*at)[3]);
    const Json& value = page.json.at(Json::json_pointer(key));
    REQUIRE(value.is_number());
    CHECK(std::stod((*at)[2]) == value.get<double>());
    // Three digits are shown at least, or whole tokens, or tenths of a percent.
    const bool percent = (*at)[3].str().ends_with("%");
    const double seen = shown_value((*at)[3]);
    CHECK(std::abs(seen - value.get<double>()) <= std::max(percent ? 0.00051 : 0.51, 0.0051 * std::abs(seen)));
    if (!percent && std::abs(seen) < 10) CHECK(seen == Approx(value.get<double>()).epsilon(0.006));
    keys.insert(key);
  }
  return keys;
}

void check_structure(const std::string& html) {
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("http://") == std::string::npos);
  for (const char* part : {"<html lang=\"en\">", "<main>", "<h1>", "<footer>", "default-src 'none'"}) {
    INFO(part);
    CHECK(html.find(part) != std::string::npos);
  }
  CHECK(html.find("src=") == std::string::npos);
  CHECK(html.find("@import") == std::string::npos);
  CHECK(html.find("url(") == std::string::npos);
}

}  // namespace

TEST_CASE("every number of an estimate's page is the document's") {
  for (const char* command : {"estimate llama-3.1-8b --vs h100x1,h100x8", "estimate llama-3.1-405b --vs h100x1",
                              "estimate gpt-oss-120b --vs none --batch 4"}) {
    const Page page = page_of(command);
    const std::set<std::string> keys = check_numbers(page);
    for (const char* key : {"/tokens_per_s/low", "/tokens_per_s/expected", "/tokens_per_s/high", "/tpot_s/expected",
                            "/wafer/pes_used", "/wafer/max_context_tokens", "/page/over_context/0/context_tokens"}) {
      INFO(key);
      CHECK(keys.count(key) == 1);
    }
    for (const auto& [name, value] : page.json.at("breakdown_s").items())
      CHECK(keys.count("/breakdown_s/" + name) == 1);
    for (const auto& [name, value] : page.json.at("bounds_s").items()) CHECK(keys.count("/bounds_s/" + name) == 1);
    for (std::size_t i = 0; i < page.json.at("wafer").at("regions").size(); ++i) {
      CHECK(keys.count("/wafer/regions/" + std::to_string(i) + "/row") == 1);
    }
    check_structure(page.html);
  }
}

TEST_CASE("the curves of a page pass through the estimate itself") {
  const Page page = page_of("estimate llama-3.1-8b");
  for (const char* name : {"over_context", "over_users"}) {
    int found = 0;
    for (const Json& point : page.json.at("page").at(name)) {
      if (point.at("context_tokens") != 8192 || point.at("users") != 1) continue;
      CHECK(point.at("tokens_per_s") == page.json.at("tokens_per_s"));
      ++found;
    }
    CHECK(found == 1);
  }
}

TEST_CASE("every number of a placement's page is the document's") {
  for (const char* command :
       {"place llama-3.1-8b --pareto 1", "place llama-3.1-405b", "place gpt-oss-120b --users 2"}) {
    const Page page = page_of(command);
    const std::set<std::string> keys = check_numbers(page);
    for (const char* key : {"/wafers", "/tokens_per_s/expected", "/search/gap_pct", "/search/pass_bound_s",
                            "/pipeline/idle_share_of_one_user", "/users_to_fill", "/max_users"}) {
      INFO(key);
      CHECK(keys.count(key) == 1);
    }
    const std::size_t regions = page.json.at("regions").size();
    for (std::size_t i = 0; i < regions; ++i) {
      const std::string region = "/regions/" + std::to_string(i);
      for (const char* key : {"/row", "/stage_s", "/sram_per_pe_bytes/kv", "/sram_per_pe_bytes/free"}) {
        INFO(region << key);
        CHECK(keys.count(region + key) == 1);
      }
    }
    for (std::size_t i = 0; i < page.json.at("pareto").size(); ++i) {
      CHECK(keys.count("/pareto/" + std::to_string(i) + "/max_users") == 1);
    }
    check_structure(page.html);
  }
}

TEST_CASE("two plans side by side have no page, and say so") {
  const ShellResult refused = shell("$W place --compare a.toml b.toml --html page.html 2>&1");
  CHECK(refused.exit_code == 2);
  CHECK(refused.output.find("leave out --plan, --out, --svg, --html") != std::string::npos);
}

TEST_CASE("the pipeline of a placement's document follows from its stages") {
  const Page page = page_of("place llama-3.1-8b");
  const Json& pipeline = page.json.at("pipeline");
  const auto stages = static_cast<double>(page.json.at("regions").size());
  CHECK(pipeline.at("stages").get<double>() == stages);
  CHECK(pipeline.at("idle_share_of_one_user").get<double>() == Approx(1 - 1 / stages));
  const double busy = page.json.at("max_users").get<double>() / page.json.at("users_to_fill").get<double>();
  CHECK(pipeline.at("busy_share").get<double>() == Approx(std::min(1.0, busy)));
  double parts = 0;
  for (const auto& [name, seconds] : page.json.at("breakdown_s").items()) parts += seconds.get<double>();
  CHECK(parts == Approx(page.json.at("tpot_s").at("expected").get<double>()));
}

TEST_CASE("every number of a deadline's page is the document's, and hostile names stay text") {
  const Page page = page_of(
      "deadline --deadline 10s --overhead 1s --answer-tokens 500 --completion-cap 4096 --rate 'g<script>\"é=170.7' "
      "--rate wafer=1790.3 --price wafer=3 --steps 8 --step-overhead 0.75s --step-tokens 1000 --step-tool-time 0.2s");
  const std::set<std::string> keys = check_numbers(page);
  for (const char* key : {"/systems/0/reasoning_tokens", "/systems/1/usd", "/systems/1/loop_seconds",
                          "/thresholds/loop_tokens_per_s", "/inputs/deadline_s"}) {
    INFO(key);
    CHECK(keys.count(key) == 1);
  }
  check_structure(page.html);
  CHECK(page.html.find("g&lt;script&gt;&quot;é") != std::string::npos);
}

TEST_CASE("a page goes to a file that can be written, or nothing is computed") {
  CHECK(shell("$W estimate llama-3.1-8b --html - 2>&1").exit_code == 2);
  CHECK(shell("$W estimate llama-3.1-8b --html /no/such/folder/page.html 2>&1").exit_code == 2);
  const ShellResult without = shell("$W estimate llama-3.1-8b --json -");
  CHECK_FALSE(Json::parse(without.output).contains("page"));
}
