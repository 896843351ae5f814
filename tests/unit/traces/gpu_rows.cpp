#include "traces/gpu_rows.hpp"

#include <fstream>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"
#include "traces/gpu_tables.hpp"
#include "traces/validate.hpp"

using namespace waferline;
using namespace waferline::traces;

namespace {

constexpr const char* header =
    "row,model,quant_dtype,gpu,n_devices,parallelism,batch_or_concurrency,prompt_tokens,output_tokens,"
    "mean_context_tokens,tokens_per_s_per_user,ms_per_token,engine,engine_version,speculative,evidence,source,note,"
    "weight_GB_streamed_per_token_my_derivation,fit_class\n";

/// A folder with a file of measured rows, gone at the end of the test.
class MeasuredFile {
 public:
  explicit MeasuredFile(const std::string& rows) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << header << rows;
  }
  ~MeasuredFile() { std::filesystem::remove_all(folder_); }
  MeasuredFile(const MeasuredFile&) = delete;
  MeasuredFile& operator=(const MeasuredFile&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path() const { return folder_ / "gpu_decode_measured.csv"; }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / "waferline_gpu_rows_test";
};

std::string row(const std::string& number, const std::string& model, const std::string& format, const std::string& gpu,
                const std::string& devices, const std::string& ms, const std::string& speculative = "no",
                const std::string& note = "", const std::string& weights = "15.009",
                const std::string& fit_class = "vllm-2024") {
  return number + "," + model + "," + format + "," + gpu + "," + devices + ",TP,1,128,128,192,," + ms + ",vLLM,2024," +
         speculative + ",measured,somewhere," + note + "," + weights + "," + fit_class + "\n";
}

std::string only_reason(const std::string& line) {
  const MeasuredFile file(line);
  const GpuRows rows = read_gpu_rows(file.path());
  REQUIRE(rows.skipped.size() == 1);
  CHECK(rows.by_class.empty());
  return rows.skipped.front().reason;
}

}  // namespace

TEST_CASE("a row becomes bytes, sizes and a load") {
  const MeasuredFile file(row("7", "llama-3-8b", "fp16", "H100 SXM", "2", "6.651", "no",
                              "ms = end-to-end latency / output tokens (includes prefill of 128 tokens)"));
  const GpuRows rows = read_gpu_rows(file.path());
  REQUIRE(rows.by_class.at("vllm-2024").size() == 1);
  const GpuRow& read = rows.by_class.at("vllm-2024").front();
  CHECK(read.configuration == "llama-3-8b | fp16 | H100 SXM | 2");
  CHECK(read.gpu.name == "h100");
  CHECK(read.devices == 2);
  CHECK(read.workload.weights_read == Bytes{15'009'000'000});
  CHECK(read.workload.kv.front().read == Bytes{32 * 2 * 8 * 128 * 2 * 192});
  CHECK(read.workload.kv.front().query_heads_per_kv_head == 4);
  CHECK(read.load.prefill_included);
  CHECK_FALSE(read.load.closed_loop);
  CHECK(read.measured.value == Approx(6.651e-3));
}

TEST_CASE("what cannot be predicted is left out with its reason and nothing else stops") {
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "Abacus 9000", "1", "10")) ==
        "GPU Abacus 9000 is not in gpu_names.csv");
  CHECK(only_reason(row("1", "llama-9-1b", "fp16", "H100 SXM", "1", "10")) ==
        "model llama-9-1b is not in gpu_models.csv");
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "~570", "10")) == "\"~570\" devices is no count");
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "10", "no", "", "")) == "no bytes of weights");
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "10", "no", "", "15", "")) == "no engine class");
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "10", "no", "", "15", "newclass")) ==
        "engine class newclass is not described in gpu_classes.csv");
}

TEST_CASE("rows known to be bad are left out by rules that stand in the data") {
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "10", "EAGLE-3")) == "speculative decoding");
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "10", "no", "source row looks pathological")) ==
        "the source's own figures contradict each other");
  CHECK(only_reason(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "3.9")) ==
        "faster than its bytes over nominal bandwidth: speculative or wrong");
}

TEST_CASE("every spelling of a format is accepted; only fp8 and NVFP4 multiply in less than 16 bits") {
  CHECK(multiply_format("fp8 (row order)").type == DType::fp8_e4m3);
  CHECK(multiply_format("fp8").layer_quantisations == 0);
  CHECK(multiply_format("nvfp4 MoE + bf16 attn").type == DType::nvfp4);
  CHECK(multiply_format("nvfp4").layer_quantisations == 4);
  for (const char* format : {"fp16", "F16", "bf16", "n/s (bf16 likely)", "Q4_K_M", "mxfp4 experts", "gf4", "Q4_0",
                             "n/s", "IQ2_S 2.5bpw", "Q8_0", "8-bit", "int8", "GPTQ 4bit g128", "EXL2 3.0bpw",
                             "int4-g32", "int4 (q4f16_1)", "", "whatever comes next"}) {
    INFO(format);
    CHECK(multiply_format(format).type == DType::bf16);
    const MeasuredFile file(row("1", "llama-3-8b", format, "H100 SXM", "1", "10"));
    CHECK(read_gpu_rows(file.path()).by_class.at("vllm-2024").size() == 1);
  }
}

TEST_CASE("numbers that are none are errors with their line, and a missing column is named") {
  const MeasuredFile bad(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "ten"));
  CHECK_THROWS_WITH(read_gpu_rows(bad.path()), Catch::Matchers::Contains(":2: ms_per_token: \"ten\" is no number"));
  const MeasuredFile negative(row("1", "llama-3-8b", "fp16", "H100 SXM", "1", "-10"));
  CHECK_THROWS_AS(read_gpu_rows(negative.path()), ConfigError);
  std::ofstream(negative.path()) << "row,model\n1,x\n";
  CHECK_THROWS_WITH(read_gpu_rows(negative.path()), Catch::Matchers::Contains("ms_per_token: column is missing"));
}

TEST_CASE("the set runs on a folder of other rows and tells fitted rows from held-out ones") {
  const MeasuredFile file(row("999999", "llama-3-8b", "fp16", "H100 SXM", "2", "6.6") +
                          row("1000000", "llama-3-8b", "fp16", "Abacus 9000", "2", "6.6"));
  const ValidationSet set = run_validation({"gpu"}, file.folder()).front();
  REQUIRE(set.points.size() == 1);
  CHECK(set.points.front().split == "vllm-2024, held out");
  CHECK(std::abs(set.points.front().error_pct) < 10);
  CHECK(set.skipped.size() == 1);
  REQUIRE(set.groups.size() == 2);
  CHECK(set.groups.back().name == "vllm-2024, rows not in the fit");
}

TEST_CASE("an unknown set, an unknown class and a folder without the file are errors that name what was meant") {
  CHECK_THROWS_WITH(run_validation({"gpus"}), Catch::Matchers::Contains("did you mean \"gpu\"?"));
  const MeasuredFile file("");
  CHECK_THROWS_WITH(calibrate_gpu_class(file.path(), "vllm-2023"), Catch::Matchers::Contains("vllm-2024"));
  CHECK_THROWS_WITH(calibrate_gpu_class(file.path(), "vllm-2024"), Catch::Matchers::Contains("0 usable rows"));
  std::filesystem::remove(file.path());
  CHECK_THROWS_AS(run_validation({"gpu"}, file.folder()), ConfigError);
}
