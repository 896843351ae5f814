#pragma once
// GGUF files: metadata and tensor table. No weights need be present.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/tensor_table.hpp"

namespace waferline::models {

/// An array of which only the length is kept (tokenizer tables).
struct GgufLongArray {
  std::int64_t length = 0;
};

using GgufValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<bool>, GgufLongArray>;

/// Metadata and tensor table of one model, of all its parts if it is split.
struct GgufFile {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata;  ///< of the first part
  TensorTable table;  ///< shapes with outputs first, as elsewhere here (the file has them the other way round)

  const GgufValue* find(std::string_view key) const;
};

/// Reads a GGUF file, version 2 or 3. A part of a split model (NAME-00001-of-00003.gguf) is read with those of its
/// other parts that lie beside it. Errors: ConfigError with the position in the file for anything that does not fit in
/// what is there: counts, lengths, nesting, types, dimensions; duplicate keys and tensors.
GgufFile read_gguf(const std::filesystem::path& path);

/// The model that a GGUF file describes, its weights stored as its tensors are, its counts cross-checked with the
/// table. Errors: ConfigError naming an architecture that is not known, a missing size, or a size key that is not
/// understood.
Model model_from_gguf(const GgufFile& file, const std::string& file_name);

/// Reads both.
Model read_gguf_model(const std::filesystem::path& path);

}  // namespace waferline::models
