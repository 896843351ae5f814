#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "arch/error.hpp"
#include "models/config.hpp"
#include "tests/property/hostile/mutations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"

using namespace waferline;
using namespace waferline::tests;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

models::Model read(const std::string& text) {
  return models::read_config(parse_json(text, "config.json"), "config.json");
}

/// A folder that goes with the test case.
struct ScratchFolder {
  fs::path path = fs::temp_directory_path() / ("waferline-hostile-" + std::to_string(::getpid()));
  ScratchFolder() { fs::create_directories(path); }
  ~ScratchFolder() { fs::remove_all(path); }
};

struct Base {
  std::string library_name;
  std::vector<SizeKey> size_keys;
};

const std::vector<Base> kBases{
    {"llama-3.1-8b",
     {{"hidden_size"}, {"num_hidden_layers"}, {"num_attention_heads"}, {"intermediate_size"}, {"vocab_size"}}},
    {"gpt-oss-120b",
     {{"num_local_experts"},
      {"num_experts_per_tok", Answer::error_or_right},  // the file says it twice, under two names
      {"head_dim"},                                     // 2880 over 64 heads would be an odd size
      {"num_key_value_heads", Answer::any}}},
    {"deepseek-v3", {{"kv_lora_rank"}, {"n_routed_experts"}, {"moe_intermediate_size"}, {"qk_rope_head_dim"}}},
};

/// An empty text if the reader's answer is right, else what is wrong with it.
std::string judge(const BrokenFile& file, const models::Model& whole) {
  try {
    const models::Model model = read(file.text);
    if (file.answer == Answer::error) return "was read without an error";
    return file.answer == Answer::any || model.parameters == whole.parameters ? "" : "was read as another model";
  } catch (const ConfigError& problem) {
    const std::string message = problem.what();
    if (message.find("config.json") == std::string::npos) return "the error names no file: " + message;
    if (message.find(file.key) == std::string::npos) return "the error does not name " + file.key + ": " + message;
    if (message.size() > 20000) return "the error is longer than anyone reads";
    return "";
  }
}

}  // namespace

TEST_CASE("every broken configuration gives a clear error or the right model, never a default") {
  int files = 0;
  for (const Base& base : kBases) {
    const std::string text = text_of(source_dir() / "models" / "library" / (base.library_name + ".json"));
    REQUIRE_FALSE(text.empty());
    const models::Model whole = read(text);
    for (const BrokenFile& file : broken_files(base.library_name, text, base.size_keys)) {
      INFO(file.what);
      CHECK(judge(file, whole) == "");
      ++files;
    }
  }
  CHECK(files >= 150);
}

TEST_CASE("what is no regular file of a sensible size is refused by name, at once") {
  const ScratchFolder scratch;
  const fs::path pipe = scratch.path / "pipe.json";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const fs::path large = scratch.path / "large.json";
  std::ofstream(large) << "{}";
  fs::resize_file(large, 100'000'000);
  const fs::path empty_folder = scratch.path / "empty";
  fs::create_directories(empty_folder);
  for (const fs::path& path : {pipe, large, empty_folder, scratch.path / "absent.json", fs::path("/dev/zero")}) {
    INFO(path);
    CHECK_THROWS_AS(models::read_config_file(path), ConfigError);
    CHECK_THROWS_WITH(models::read_config_file(path), Catch::Contains(path.filename().string()));
  }
}
