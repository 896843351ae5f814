#pragma once
// Models by name: published configuration files that come with the program.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.hpp"

namespace waferline::models {

/// One model of the library.
struct LibraryEntry {
  std::string name;                 ///< short and lower-case: "llama-3.1-8b"
  std::vector<std::string> hf_ids;  ///< published under these names, all with this configuration
  std::string kind;                 ///< how the file was obtained: verbatim, python-literal, partial ...
  std::string source;
  std::string note;
  std::filesystem::path config;
};

/// All models of the library, by name. Errors: ConfigError if the library is not found or its index is wrong.
std::vector<LibraryEntry> library_entries();

/// The model of that short name or Hugging Face id, whatever its case.
/// Errors: ConfigError with the nearest names.
LibraryEntry library_entry(std::string_view name);

/// Reads a model by what a user writes: a path to a config.json, to a folder that holds one, to a GGUF or safetensors
/// file, or a name of the library. Something with a path separator that exists is a path; a name of the library comes
/// next. Errors: ConfigError as for reading; for a name that is neither, the nearest names of the library.
Model load_model(const std::string& path_or_name);

}  // namespace waferline::models
