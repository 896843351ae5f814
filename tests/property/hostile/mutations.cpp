#include "tests/property/hostile/mutations.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace waferline::tests {
namespace {

using Json = nlohmann::ordered_json;

/// Stands in for a value that nlohmann cannot hold (1e999, a bare word); replaced in the text.
constexpr const char* kPlaceholder = "@value@";

std::vector<BrokenFile> truncations(const std::string& name, const std::string& text) {
  std::vector<BrokenFile> out;
  for (int eighth = 1; eighth < 8; ++eighth) {
    const std::size_t length = text.size() * static_cast<std::size_t>(eighth) / 8;
    out.push_back({fmt::format("{}: cut after {} of {} bytes", name, length, text.size()),
                   text.substr(0, length),
                   Answer::error,
                   {}});
  }
  return out;
}

std::vector<BrokenFile> bad_sizes(const std::string& name, const std::string& text, const SizeKey& size_key) {
  const std::string& key = size_key.name;
  static const std::vector<std::pair<std::string, std::string>> kBad{{"-5", "negative"},
                                                                     {"0", "zero"},
                                                                     {"1.9", "a fraction"},
                                                                     {"true", "a boolean"},
                                                                     {"\"4096\"", "a string"},
                                                                     {"{}", "an object"},
                                                                     {"1e308", "1e308"},
                                                                     {"9223372036854775807", "the largest integer"},
                                                                     {"Infinity", "Infinity"},
                                                                     {"NaN", "NaN"},
                                                                     {"-Infinity", "minus Infinity"},
                                                                     {"1e999", "beyond a double"},
                                                                     {"99999999999999999999", "beyond 64 bits"},
                                                                     {"[]", "an empty list"},
                                                                     {"[4096, \"x\"]", "a mixed list"}};
  std::vector<BrokenFile> out;
  for (const auto& [value, what] : kBad) {
    const bool readable = value != "1e999" && value != "99999999999999999999";
    out.push_back({fmt::format("{}: {} is {}", name, key, what), with_value(text, key, value), Answer::error,
                   readable ? key : ""});
  }
  out.push_back({fmt::format("{}: {} is missing", name, key), without_key(text, key), size_key.if_missing, {}});
  out.push_back({fmt::format("{}: {} twice", name, key),
                 fmt::format("{{\"{}\": 8, {}", key, text.substr(text.find('{') + 1)), Answer::error, key});
  return out;
}

std::vector<BrokenFile> broken_text(const std::string& name, const std::string& text) {
  const std::string body = text.substr(text.find('{') + 1);
  return {
      {name + ": empty", "", Answer::error, {}},
      {name + ": white space only", " \n\t\n", Answer::error, {}},
      {name + ": a list", "[" + text + "]", Answer::error, {}},
      {name + ": null", "null", Answer::error, {}},
      {name + ": a number", "42", Answer::error, {}},
      {name + ": an empty object", "{}", Answer::error, {}},
      {name + ": nested 10,000 deep",
       "{\"deep\": " + std::string(10000, '[') + std::string(10000, ']') + "," + body,
       Answer::error,
       {}},
      {name + ": objects nested 10,000 deep, never closed",
       [] {
         std::string deep;
         for (int i = 0; i < 10000; ++i) deep += "{\"a\":";
         return deep;
       }(),
       Answer::error,
       {}},
      {name + ": not UTF-8", "{\"x\": \"\xc3\x28\"," + body, Answer::error, {}},
      {name + ": UTF-16", std::string("\xff\xfe{\0}\0", 6), Answer::error, {}},
      {name + ": a NUL byte", std::string("{\"x\": \"a") + '\0' + "b\"," + body, Answer::error, {}},
      {name + ": text after the end", text + "}", Answer::error, {}},
      {name + ": two documents", text + text, Answer::error, {}},
      {name + ": single quotes", "{'x': 1," + body, Answer::error, {}},
      {name + ": a comment", "{ // no JSON\n" + body, Answer::error, {}},
      {name + ": a trailing comma", text.substr(0, text.rfind('}')) + ",}", Answer::error, {}},
      {name + ": a key of 1 MB", "{\"" + std::string(1 << 20, 'k') + "\": \"x\"," + body, Answer::error_or_right, {}},
      {name + ": 100,000 short keys",
       [&] {
         std::string many = "{";
         for (int i = 0; i < 100000; ++i) many += fmt::format("\"note{}\":\"\",", i);
         return many + body;
       }(),
       Answer::error_or_right,
       {}},
      {name + ": windows line ends",
       [&] {
         std::string out;
         for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
         return out;
       }(),
       Answer::error_or_right,
       {}},
      {name + ": byte order mark", "\xEF\xBB\xBF" + text, Answer::error_or_right, {}},
      {name + ": html", "<!DOCTYPE html><html><body>404</body></html>", Answer::error, {}},
      {name + ": a git-lfs pointer",
       "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 42\n",
       Answer::error,
       {}},
  };
}

}  // namespace

std::string with_value(const std::string& text, const std::string& key, const std::string& json_value) {
  Json root = Json::parse(text);
  root[key] = kPlaceholder;
  std::string out = root.dump(1);
  const std::string marked = fmt::format("\"{}\"", kPlaceholder);
  out.replace(out.find(marked), marked.size(), json_value);
  return out;
}

std::string without_key(const std::string& text, const std::string& key) {
  Json root = Json::parse(text);
  root.erase(key);
  return root.dump(1);
}

std::vector<BrokenFile> broken_files(const std::string& name, const std::string& text,
                                     const std::vector<SizeKey>& size_keys) {
  std::vector<BrokenFile> out = truncations(name, text);
  for (BrokenFile& file : broken_text(name, text)) out.push_back(std::move(file));
  for (const SizeKey& key : size_keys) {
    for (BrokenFile& file : bad_sizes(name, text, key)) out.push_back(std::move(file));
  }
  for (const char* type : {"\"\"", "\"no_such_family\"", "null", "7", "[\"llama\"]"}) {
    out.push_back({fmt::format("{}: model_type is {}", name, type),
                   with_value(text, "model_type", type),
                   Answer::error_or_right,
                   {}});
  }
  return out;
}

}  // namespace waferline::tests
