#pragma once
// Reads one HDF5 file that anybody may have written: nothing in it is believed before it is checked. There is no list
// of an object's attributes here: version 1.10.8 of the library crashes on a damaged one.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace waferline::traces {

/// Every function: ConfigError naming the file, the object and the library's reason if it fails; also if an object is
/// missing, lies in another file, is of another type, or is larger than the stated limit.
class Hdf5Reader {
 public:
  /// Errors: also if the file is missing, no regular file, no HDF5 file, or cut short.
  explicit Hdf5Reader(const std::filesystem::path& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  const std::string& path() const { return path_; }
  bool has(const std::string& object) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;
  double real_attribute(const std::string& object, const std::string& name) const;

  /// Size of each dimension.
  std::vector<std::int64_t> shape(const std::string& dataset) const;
  /// All numbers of a dataset of one dimension with at most `most` of them.
  std::vector<std::int64_t> integers(const std::string& dataset, std::int64_t most) const;
  std::vector<double> reals(const std::string& dataset, std::int64_t most) const;
  std::vector<std::string> texts(const std::string& dataset, std::int64_t most) const;
  /// Row `index` of a dataset of shape (n, rows, cols), to `row` (rows x cols numbers).
  void read_row(const std::string& dataset, std::int64_t index, std::vector<std::int64_t>& row) const;
  void read_row(const std::string& dataset, std::int64_t index, std::vector<double>& row) const;

 private:
  struct Insides;
  template <class Number>
  std::vector<Number> all(const std::string& dataset, std::int64_t most) const;
  template <class Number>
  void row_of(const std::string& dataset, std::int64_t index, std::vector<Number>& row) const;
  void read_attribute(const std::string& object, const std::string& name, int type_class, std::int64_t memory_type,
                      void* value) const;

  std::string path_;
  std::unique_ptr<Insides> insides_;
};

}  // namespace waferline::traces
