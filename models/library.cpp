#include "models/library.hpp"

#include <fmt/format.h>

#include <optional>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "arch/config_node.hpp"
#include "arch/data_dir.hpp"
#include "arch/object_reader.hpp"
#include "models/config.hpp"
#include "models/gguf.hpp"
#include "models/safetensors.hpp"

namespace waferline::models {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

LibraryEntry read_entry(const std::string& name, const ConfigNode& node, const std::filesystem::path& dir,
                        Problems& problems) {
  ObjectReader reader(node, problems, name);
  LibraryEntry entry;
  entry.name = name;
  entry.hf_ids = reader.strings("hf_ids");
  entry.kind = reader.string("kind");
  entry.source = reader.string("source");
  entry.note = reader.optional_string("note").value_or("");
  entry.config = dir / (name + ".json");
  reader.reject_unknown_keys();
  return entry;
}

bool answers_to(const LibraryEntry& entry, const std::string& wanted) {
  return lower(entry.name) == wanted || std::any_of(entry.hf_ids.begin(), entry.hf_ids.end(),
                                                    [&](const std::string& id) { return lower(id) == wanted; });
}

/// The three names that share the longest beginning or are the nearest by edits.
std::string near_names(const std::vector<LibraryEntry>& entries, const std::string& wanted) {
  std::vector<std::string> names;
  for (const LibraryEntry& entry : entries) names.push_back(entry.name);
  std::vector<std::string> near;
  for (int i = 0; i < 3; ++i) {
    const std::string nearest = nearest_name(wanted, names);
    if (nearest.empty()) break;
    near.push_back(nearest);
    names.erase(std::find(names.begin(), names.end(), nearest));
  }
  return near.empty() ? std::string("no name of the library is near")
                      : fmt::format("nearest: {}", fmt::join(near, ", "));
}

Model load_entry(const LibraryEntry& entry) {
  Model model = read_config_file(entry.config);
  model.name = entry.name;
  if (entry.kind != "verbatim") {
    model.notes.push_back(fmt::format("the library's file is no verbatim copy ({}): {}", entry.kind, entry.source));
  }
  return model;
}

/// Reads a file or folder by what it is. A configuration is compared with the safetensors files beside it.
Model load_path(const std::filesystem::path& path) {
  const std::string extension = lower(path.extension().string());
  if (extension == ".gguf") return read_gguf_model(path);
  const bool header =
      extension == ".safetensors" || lower(path.filename().string()).ends_with(".safetensors.index.json");
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path config = header ? path.parent_path() / "config.json" : path;
  if (header && !std::filesystem::exists(config, ignored)) {
    throw ConfigError(fmt::format(
        "{}: a safetensors file lists tensors but no heads or kinds of layers: config.json must lie beside it",
        path.string()));
  }
  Model model = read_config_file(config);
  std::optional<TensorTable> table;
  if (extension == ".safetensors") {
    table = read_safetensors(path);
  } else if (header) {
    table = read_safetensors_index(path);
  } else if (folder || path.filename() == "config.json") {
    table = safetensors_in(folder ? path : std::filesystem::absolute(path, ignored).parent_path());
  }
  if (table) {
    const std::vector<std::string> notes = cross_check(model, *table);
    model.notes.insert(model.notes.end(), notes.begin(), notes.end());
    if (notes.empty()) model.notes.push_back(fmt::format("counts agree with {}", table->source));
  }
  return model;
}

}  // namespace

std::vector<LibraryEntry> library_entries() {
  const std::filesystem::path dir = data_dir("models/library");
  const std::filesystem::path index = dir / "index.json";
  const ConfigNode root = read_json_file(index);
  Problems problems(index.string());
  if (root.object() == nullptr) problems.add(root.line(), "", "an object with one entry a model was expected");
  problems.throw_if_any();
  std::vector<LibraryEntry> entries;
  for (const ConfigNode::Member& member : *root.object())
    entries.push_back(read_entry(member.key, member.value, dir, problems));
  problems.throw_if_any();
  std::sort(entries.begin(), entries.end(),
            [](const LibraryEntry& a, const LibraryEntry& b) { return a.name < b.name; });
  return entries;
}

LibraryEntry library_entry(std::string_view name) {
  const std::vector<LibraryEntry> entries = library_entries();
  const std::string wanted = lower(name);
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const LibraryEntry& e) { return answers_to(e, wanted); });
  if (found != entries.end()) return *found;
  throw ConfigError(fmt::format("{}: neither a file nor a model of the library ({}; `waferline list models` shows all)",
                                name, near_names(entries, wanted)));
}

Model load_model(const std::string& path_or_name) {
  if (path_or_name.empty()) throw ConfigError("an empty model name: a path or a name of the library was expected");
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path_or_name, ignored);
  const bool reads_like_a_path = path_or_name.find_first_of("/\\") != std::string::npos ||
                                 lower(path_or_name).ends_with(".json") || lower(path_or_name).ends_with(".gguf") ||
                                 lower(path_or_name).ends_with(".safetensors");
  if (exists && reads_like_a_path) return load_path(path_or_name);
  const std::vector<LibraryEntry> entries = library_entries();
  const std::string wanted = lower(path_or_name);
  for (const LibraryEntry& entry : entries) {
    if (answers_to(entry, wanted)) return load_entry(entry);
  }
  if (exists) return load_path(path_or_name);
  return load_entry(library_entry(path_or_name));  // not there: throws with the nearest names
}

}  // namespace waferline::models
