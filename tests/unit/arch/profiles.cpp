#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "arch/error.hpp"
#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"
#include "arch/text_file.hpp"
#include "arch/wafer.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/arch/hardware_texts.hpp"

using namespace waferline;

namespace {

/// Several runs of these tests may go on at once on one machine.
std::filesystem::path own_temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / fmt::format("waferline_unit_arch_{}_{}", ::getpid(), name);
}

}  // namespace

TEST_CASE("every shipped software profile loads and reads back equal from its own TOML") {
  const std::vector<std::string> names = list_software();
  for (const char* name : {"ideal", "service-2024", "service-2026", "wafer-engine", "waferllm"}) {
    INFO(name);
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
  for (const std::string& name : names) {
    INFO(name);
    const SoftwareProfile profile = load_software(name);
    CHECK(profile.name == name);
    CHECK(parse_software(to_toml(profile), "again.toml") == profile);
    CHECK((profile.wafer.empty() || load_wafer(profile.wafer).name == profile.wafer));
  }
}

TEST_CASE("software leaves room for weights in the SRAM of the wafer that it was made on") {
  for (const std::string& name : list_software()) {
    const SoftwareProfile profile = load_software(name);
    if (profile.wafer.empty()) continue;
    INFO(name);
    CHECK(profile.code.high() + profile.buffers.high() + profile.system.high() <
          load_wafer(profile.wafer).pe.sram.value);
  }
}

TEST_CASE("the ideal profile adds no overhead") {
  const SoftwareProfile ideal = load_software("ideal");
  CHECK(ideal.vector_instruction_overhead.value == Cycles{0});
  CHECK(ideal.exponential_per_element.value == Cycles{0});
  CHECK(ideal.code.value == Bytes{0});
  CHECK(ideal.fixed_per_token.value == Seconds{0});
  CHECK(ideal.stage_overhead.value == Cycles{1});  // the add itself
  CHECK_FALSE(ideal.group_pes.value);
}

TEST_CASE("every shipped GPU loads and reads back equal from its own TOML") {
  const std::vector<std::string> names = list_gpus();
  for (const char* name : {"a100-40", "a100-80",  "h100",   "h200",     "gh200",    "b200",     "gb200",  "b300",
                           "mi300x",  "mi325x",   "mi355x", "rtx-3090", "rtx-4090", "rtx-5090", "m1-max", "m1-ultra",
                           "m2-max",  "m2-ultra", "m3-max", "m3-ultra", "m4-max",   "tpu-v5e",  "l40s",   "sn40l"}) {
    INFO(name);
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
  for (const std::string& name : names) {
    INFO(name);
    const Gpu gpu = load_gpu(name);
    CHECK(gpu.name == name);
    CHECK(parse_gpu(to_toml(gpu), "again.toml") == gpu);
  }
}

TEST_CASE("GPU figures are in bytes and bytes per second, not in GB, GiB or TB") {
  const Gpu h100 = load_gpu("h100");
  CHECK(h100.memory.value == Bytes{80'000'000'000});
  CHECK(h100.bandwidth.value == BytesPerSecond{3.35e12});
  CHECK(h100.scale_up.link_per_direction->value == BytesPerSecond{4.5e11});  // 900 GB/s counts both directions
  CHECK(load_gpu("gb200").scale_up.devices_per_node.value == 72);
}

TEST_CASE("GPU names never end like a device count") {
  for (const std::string& name : list_gpus()) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    INFO(name);
    CHECK_FALSE((digits < name.size() && digits > 0 && name[digits - 1] == 'x'));
  }
}

TEST_CASE("weights narrower than a GPU's arithmetic are widened to the next type that it has") {
  const Gpu a100 = load_gpu("a100-80");
  CHECK(dense_rate(a100, DType::bf16)->value == 3.12e14);
  CHECK(dense_rate(a100, DType::fp8_e4m3)->value == 3.12e14);
  CHECK(dense_rate(a100, DType::mxfp4)->value == 3.12e14);
  CHECK_FALSE(dense_rate(a100, DType::fp32));
  const Gpu b200 = load_gpu("b200");
  CHECK(dense_rate(b200, DType::fp8_e4m3)->value == 4.5e15);
  CHECK(dense_rate(b200, DType::nvfp4)->value == 9e15);
  CHECK(dense_rate(load_gpu("h100"), DType::mxfp4)->value == 1.979e15);
  CHECK_FALSE(dense_rate(load_gpu("m4-max"), DType::fp16));
}

TEST_CASE("a GPU engine reads back equal, fit and residuals included") {
  const GpuEngine engine = parse_gpu_engine(tests::kEngineText, "engine.toml");
  CHECK(engine.fit.residuals == std::vector<FitResidual>{{"1", -3.5}, {"17", 12.5}});
  CHECK(engine.fit.held_out_mean_abs_error_pct == 6.5);
  CHECK_FALSE(engine.fit.bound_mean_abs_error_pct);
  CHECK(engine.traits.kv_reads == KvReads::per_query_head);
  CHECK(engine.layer_overhead.value == Seconds{15e-6});
  CHECK(parse_gpu_engine(to_toml(engine), "again.toml") == engine);
  for (const std::string& name : list_gpu_engines()) {
    INFO(name);
    const GpuEngine shipped = load_gpu_engine(name);
    CHECK(parse_gpu_engine(to_toml(shipped), "again.toml") == shipped);
  }
}

TEST_CASE("text survives the way into a profile and back") {
  SoftwareProfile profile = load_software("waferllm");
  profile.description = "quotes \" backslash \\ tab \t newline \n bell \x07 and \xC3\xBC";
  profile.code.provenance.note = "'single' and \"double\"";
  profile.stage_overhead.value = Cycles{0.1 + 0.2};
  profile.stage_overhead.band.reset();
  profile.fit =
      FitRecord{"class", "rows.csv", 12, 2, 1.0, 2.5, "a\"b", 3.25, std::nullopt, std::nullopt, {{"x", -1e-9}}};
  CHECK(parse_software(to_toml(profile), "again.toml") == profile);
}

TEST_CASE("an unknown name is answered with the nearest one") {
  CHECK_THROWS_WITH(load_wafer("wse4"), Catch::Contains("unknown system \"wse4\", did you mean wse2?"));
  CHECK_THROWS_WITH(load_gpu("h10"), Catch::Contains("did you mean h100?"));
  CHECK_THROWS_WITH(load_software("wafer-llm"), Catch::Contains("did you mean waferllm?"));
  CHECK_THROWS_WITH(load_gpu_engine("no such engine at all"), Catch::Contains("unknown gpu engine"));
  CHECK_THROWS_AS(load_wafer(""), ConfigError);
}

TEST_CASE("a user's own file is read by its path, whatever it is called") {
  const std::filesystem::path path = own_temporary("mine.toml");
  write_file_atomically(path, tests::kGpuText);
  CHECK(load_gpu(path.string()).name == "card");
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(load_gpu(path.string()), Catch::Contains("no such file"));
}

TEST_CASE("a shipped file must bear its own name") {
  const std::filesystem::path root = own_temporary("data");
  std::filesystem::create_directories(root / "arch" / "gpus");
  write_file_atomically(root / "arch" / "gpus" / "other.toml", tests::kGpuText);
  ::setenv("WAFERLINE_DATA", root.c_str(), 1);
  CHECK(list_gpus() == std::vector<std::string>{"other"});
  CHECK_THROWS_WITH(load_gpu("other"), Catch::Contains("name: is \"card\", but the file is that of other"));
  ::unsetenv("WAFERLINE_DATA");
  std::filesystem::remove_all(root);
}
