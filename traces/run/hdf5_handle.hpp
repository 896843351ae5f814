#pragma once
// Handles of the HDF5 library, closed when they go, and its errors as ConfigError. For the .cpp files that speak to
// the library; nobody else sees hdf5.h. The library is not thread-safe as Debian builds it: one thread at a time.

#include <hdf5.h>

#include <string>
#include <utility>

namespace waferline::traces {

/// Owns one handle. Closing is done by the function that fits what was opened.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close closing) : id_(id), close_(closing) {}
  Hdf5Handle(Hdf5Handle&& from) noexcept : id_(std::exchange(from.id_, -1)), close_(from.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& from) noexcept {
    std::swap(id_, from.id_);
    std::swap(close_, from.close_);
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle();

  hid_t id() const { return id_; }
  /// Closes now. Returns whether the library could.
  bool close();

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// While it lives the library prints no errors; afterwards it does what it did before.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Names file and object in every error.
class Hdf5Place {
 public:
  Hdf5Place(std::string file, std::string object) : file_(std::move(file)), object_(std::move(object)) {}

  /// `result` of a call of the library. Errors: ConfigError with what was being done and the library's innermost reason
  /// if it is negative.
  template <class Result>
  Result need(Result result, const char* doing) const {
    if (result < 0) fail(doing);
    return result;
  }
  [[noreturn]] void fail(const char* doing) const;
  /// Errors: ConfigError "file: object: problem".
  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  std::string file_;
  std::string object_;
};

}  // namespace waferline::traces
