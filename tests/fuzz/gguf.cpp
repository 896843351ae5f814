// Any bytes are read as a GGUF file or refused, and so are they as a safetensors file and as an index of such files.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "arch/error.hpp"
#include "models/gguf.hpp"
#include "models/safetensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waferline;
  static const std::filesystem::path kFile =
      std::filesystem::temp_directory_path() / ("waferline-fuzz-" + std::to_string(::getpid()));
  std::ofstream(kFile, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    models::read_gguf_model(kFile);
  } catch (const ConfigError&) {
  }
  try {
    models::read_safetensors(kFile);
  } catch (const ConfigError&) {
  }
  try {
    models::read_safetensors_index(kFile);
  } catch (const ConfigError&) {
  }
  return 0;
}
