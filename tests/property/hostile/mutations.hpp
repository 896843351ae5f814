#pragma once
// Broken configurations made from whole ones: each mutation is one way in which a file goes wrong.

#include <functional>
#include <string>
#include <vector>

namespace waferline::tests {

/// What a reader may answer to a broken file.
enum class Answer {
  error,           ///< only a clear error is right
  error_or_right,  ///< an error, or the very model that the whole file gives (it may touch nothing that counts)
  any              ///< absence has a documented meaning (no KV heads: as many as query heads); only no crash, no hang
};

struct BrokenFile {
  std::string what;  ///< e.g. "llama: hidden_size is -5"
  std::string text;
  Answer answer = Answer::error;
  std::string key;  ///< a sizing key that the error has to name; empty if none
};

/// Text of a configuration as JSON with the value of one top-level key replaced (or the key added).
std::string with_value(const std::string& text, const std::string& key, const std::string& json_value);

/// The same text without that top-level key.
std::string without_key(const std::string& text, const std::string& key);

/// A key that holds a size, and what the reader may answer when it is missing.
struct SizeKey {
  std::string name;
  Answer if_missing = Answer::error;
};

/// Every mutation of one configuration.
std::vector<BrokenFile> broken_files(const std::string& name, const std::string& text,
                                     const std::vector<SizeKey>& size_keys);

}  // namespace waferline::tests
