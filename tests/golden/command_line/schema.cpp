// Documents against docs/schema, and the sums that they promise.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/golden/command_line/schema_check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace waferline::tests;
using Json = nlohmann::ordered_json;

namespace {

Json document(const std::string& command) {
  const ShellResult result = shell("$W " + command + " --json -");
  INFO(command);
  REQUIRE(result.exit_code == 0);
  return Json::parse(result.output);
}

Json schema(const std::string& name) {
  std::ifstream in(source_dir() / "docs/schema" / (name + ".json"));
  return Json::parse(in);
}

void check_schema(const std::string& name, const Json& json) {
  for (const std::string& problem : schema_problems(json, schema(name))) {
    INFO(name << ": " << problem);
    CHECK(false);
  }
}

double sum(const Json& object) {
  double total = 0;
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) total += value.get<double>();
  }
  return total;
}

const std::string deadline =
    "deadline --deadline 10s --overhead 1s --answer-tokens 500 --rate a=170.7 --rate b=1790.3 --steps 8 "
    "--step-overhead 0.75s --step-tokens 1000 --step-tool-time 1.5s";

}  // namespace

TEST_CASE("documents have every key of schema 1 with its type") {
  for (const char* model : {"llama-3.1-8b", "gpt-oss-120b", "deepseek-v3.2", "nemotron-3-nano-30b-nvfp4"}) {
    check_schema("inspect", document(std::string("inspect ") + model));
    check_schema("estimate", document(std::string("estimate ") + model));
  }
  const std::filesystem::path page = std::filesystem::temp_directory_path() / "waferline-schema.html";
  const Json with_page = document("estimate llama-3.1-8b --html '" + page.string() + "'");
  std::filesystem::remove(page);
  CHECK(with_page.contains("page"));
  check_schema("estimate", with_page);
  const Json placed_with_page = document("place llama-3.1-8b --pareto 1 --html '" + page.string() + "'");
  std::filesystem::remove(page);
  CHECK(placed_with_page.contains("page"));
  check_schema("place", placed_with_page);
  check_schema("place", document("place llama-3.1-8b --pareto 1"));
  check_schema("place", document("place gpt-oss-120b --objective throughput"));
  check_schema("deadline", document(deadline));
  check_schema("deadline", document("deadline --deadline 1s --overhead 2s --answer-tokens 1 --rate a=1"));
  check_schema("serve", document("serve llama-3.1-8b --requests-per-s 2 --prefill-tokens-per-s 20000 --requests 500"));
  check_schema("serve", document("serve --tokens-per-s 1000 --total-tokens-per-s 20000 --users 64 --kv-tokens 500000 "
                                 "--prefill-tokens-per-s 50000 --requests-per-s 20 --requests 100"));
  const std::string whole = "--prompt-tokens 2000 --output-tokens 100 --dollars-per-hour 50 --draft-tokens 2 ";
  check_schema("estimate", document("estimate llama-3.1-8b " + whole + "--acceptance 0.8 --draft 50us"));
  check_schema("estimate",
               document("estimate llama-3.1-8b --vs h100x8,m2-ultra --prompt-tokens 2000 --output-tokens 100 "
                        "--prefill-on h100x8 --link-gb-per-s 50 --watts 23000"));
  check_schema("validate", document("validate --set waferllm-decode"));
}

TEST_CASE("documents of emulations have every key of schema 1 with its type") {
  for (const char* command : {"emulate gemv --rows 40 --cols 30 --mesh 3x4 --dtype int4",
                              "emulate gemm --rows 20 --cols 30 --tokens 4 --mesh 3x3 --dtype fp32",
                              "emulate attention --heads 4 --kv-heads 2 --head-dim 8 --context 10 --mesh 4x4",
                              "emulate layer --model smollm2-135m --layer 3 --mesh 32x32 --batch 2"}) {
    const Json json = document(command);
    check_schema("emulate-kernels", json);
    for (const Json& kernel : json["kernels"]) {
      CHECK(kernel["counters_equal"] == true);
      CHECK(kernel["counters"] == kernel["closed_form"]);
    }
  }
  const Json decoded = document("emulate model --weights '" + (source_dir() / "tests/data/tiny").string() +
                                "' --prompt-ids 1,5 --tokens 3 --mesh 5x7 --dtype fp16");
  check_schema("emulate-model", decoded);
  CHECK(decoded["counters"] == decoded["closed_form"]);
  CHECK(decoded["cycles_per_token"].size() == decoded["tokens"].size());
  check_schema("emulate-allreduce", document("emulate allreduce --pes 16"));
  check_schema("emulate-allreduce", document("emulate allreduce --pes 16 --lines 3 --fabric"));
}

TEST_CASE("an all-reduce on the command line steps its wavelets in the cycles of the closed form") {
  for (const char* arrangement : {"--algorithm chain", "--algorithm chain --root end --to-root", "--groups 5", "",
                                  "--algorithm star", "--algorithm ring", "--groups 3,4 --root end"}) {
    INFO(arrangement);
    const std::string command = std::string("emulate allreduce --pes 37 --lines 70 --wavelets 11 ") + arrangement;
    const Json json = document(command + " --fabric --threads 2");
    const Json& cycles = json["cycles"];
    CHECK(cycles["fabric"] == cycles["sweep"]);
    CHECK(cycles["closed_form"].get<double>() == cycles["fabric"].get<double>());
    CHECK(json["agree"] == true);
    CHECK(json["fabric"]["combines"] == json["counters"]["combines"]);
    CHECK(json["fabric"]["largest_error"].get<double>() < 1e-6);
    CHECK(json["host"]["state_bytes_per_pe"].get<double>() > 0);
    CHECK(document(command + " --fabric --threads 1")["fabric"] == json["fabric"]);
    CHECK_FALSE(document(command).contains("fabric"));
  }
}

TEST_CASE("the schema check itself finds what is missing, of the wrong type, or of another version") {
  Json json = document(deadline);
  json["schema"] = 2;
  json["systems"][0].erase("reasoning_tokens");
  json["systems"][1]["tokens_per_s"] = "fast";
  CHECK(schema_problems(json, schema("deadline")).size() == 3);
}

TEST_CASE("the parts of an estimate add up") {
  for (const char* command :
       {"estimate llama-3.1-8b", "estimate llama-3.1-405b --batch 1 --context 1000", "estimate gpt-oss-120b --batch 4",
        "estimate qwen3-next-80b-a3b --accepted-tokens 2.5", "estimate deepseek-v3 --weight-bits 8"}) {
    INFO(command);
    const Json json = document(command);
    const Json& tpot = json["tpot_s"];
    CHECK(sum(json["breakdown_s"]) == Approx(tpot["expected"].get<double>()).epsilon(1e-9));
    CHECK(tpot["low"] <= tpot["expected"]);
    CHECK(tpot["expected"] <= tpot["high"]);
    const Json& rates = json["tokens_per_s"];
    CHECK(rates["expected"].get<double>() == Approx(1 / tpot["expected"].get<double>()));
    CHECK(rates["low"].get<double>() == Approx(1 / tpot["high"].get<double>()));
    const Json& sram = json["wafer"]["sram_per_pe_bytes"];
    CHECK(sum(sram) - sram["capacity"].get<double>() == sram["capacity"].get<double>());
    for (const auto& [name, ratio] : json["estimate_over_bounds"].items()) CHECK(ratio.get<double>() >= 1);
    for (const Json& gpu : json["gpus"]) {
      CHECK(gpu["roofline_tpot_s"] <= gpu["tpot_s"]["expected"]);
      CHECK(sum(gpu["breakdown_s"]) == Approx(gpu["tpot_s"]["expected"].get<double>()).epsilon(1e-9));
    }
  }
}

TEST_CASE("every layer stands in exactly one region of an estimate") {
  const Json json = document("estimate llama-3.1-70b");
  std::int64_t next = 0;
  for (const Json& region : json["wafer"]["regions"]) {
    if (region["what"] != "layers") {
      CHECK(region["layers"].empty());
      continue;
    }
    CHECK(region["layers"][0] == next);
    next = region["layers"][1].get<std::int64_t>() + 1;
  }
  CHECK(next == json["model"]["layers"]);
}

TEST_CASE("the parameters and layers of an inspection add up") {
  const Json json = document("inspect deepseek-v3");
  const Json& parameters = json["model"]["parameters"];
  CHECK(sum(parameters) - parameters["total"].get<double>() - parameters["read_per_token"].get<double>() ==
        parameters["total"].get<double>());
  CHECK(json["per_layer"].size() == json["model"]["layers"].get<std::size_t>());
}

TEST_CASE("serving many users gives the same document for any number of threads") {
  const std::string serve = "serve llama-3.1-8b --requests-per-s 3 --requests 3000 --threads ";
  const Json one = document(serve + "1");
  CHECK(document(serve + "2") == one);
  CHECK(document(serve + "7") == one);
  CHECK(one["curve"].size() == 5);
  CHECK(one["summary"]["served"].get<int>() + one["summary"]["refused"].get<int>() == 3000);
}

TEST_CASE("the parts of a whole answer add up") {
  for (const char* flags :
       {"", " --queue 250ms --prefix-cached-tokens 500", " --prefill-on b200x8 --link-gb-per-s 25"}) {
    INFO(flags);
    const Json answer =
        document(std::string("estimate llama-3.1-8b --prompt-tokens 3000 --output-tokens 400") + flags)["answer"];
    const double moved = answer["kv_transfer"].is_null() ? 0 : answer["kv_transfer"]["seconds"].get<double>();
    const double ttft = answer["queue_s"].get<double>() + answer["prefill"]["seconds"]["expected"].get<double>() +
                        moved + answer["first_token_s"].get<double>();
    CHECK(answer["ttft_s"]["expected"].get<double>() == Approx(ttft));
    CHECK(answer["end_to_end_s"]["expected"].get<double>() ==
          Approx(ttft + 399 * answer["tpot_s"]["expected"].get<double>()));
    for (const Json& gpu : answer["gpus"]) CHECK(gpu["time"]["ttft_s"]["low"] <= gpu["time"]["ttft_s"]["high"]);
    CHECK(answer["gpus"].size() == 2);
  }
}
