#pragma once
// Writes one HDF5 file: groups, attributes, and datasets that grow along their first dimension, chunked, shuffled and
// deflated. The same calls leave the same bytes: no times are stored. The file takes shape in memory and goes to the
// disk when it is complete: version 1.10.8 of the library crashes at exit if it could not write what it closes.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waferline::traces {

/// Every function: ConfigError naming the file, the object and the library's reason if it fails.
class Hdf5Writer {
 public:
  /// Errors: also if the target is no place for a regular file.
  explicit Hdf5Writer(const std::filesystem::path& target);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void group(const std::string& path);
  /// Texts of more than 60,000 bytes are cut.
  void attribute(const std::string& object, const std::string& name, std::string_view text);
  void attribute(const std::string& object, const std::string& name, std::int64_t value);
  void attribute(const std::string& object, const std::string& name, double value);
  /// All at once, as UTF-8 of one fixed length.
  void texts(const std::string& path, const std::vector<std::string>& values);

  enum class Kind : std::uint8_t { integer, real };  ///< 64 bits each
  /// A dataset of shape (0, tail...) in a group that is there. Returns its number.
  std::size_t growing(const std::string& path, Kind kind, const std::vector<std::int64_t>& tail);
  /// Adds one row of product(tail) numbers; rows are kept until a chunk is full.
  void append(std::size_t dataset, std::span<const std::int64_t> row);
  void append(std::size_t dataset, std::span<const double> row);
  /// The same for texts, kept as UTF-8 of one length: one dimension, a text a row. None may have more bytes than
  /// `longest`, of which 60,000 at most are kept.
  std::size_t growing_texts(const std::string& path, std::size_t longest);
  void append_text(std::size_t dataset, std::string_view text);

  /// Writes the file under its name. Nothing may follow.
  void finish();

 private:
  struct Insides;
  std::unique_ptr<Insides> insides_;
};

}  // namespace waferline::traces
