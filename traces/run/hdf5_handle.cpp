#include "traces/run/hdf5_handle.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"

namespace waferline::traces {
namespace {

constexpr std::size_t kLongestReason = 200;

herr_t keep_first(unsigned int depth, const H5E_error2_t* error, void* reason) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 0;
}

/// What the system said, where the library wraps it in a record of the call.
std::string shortened(const std::string& reason) {
  constexpr std::string_view before = "error message = '";
  const std::size_t at = reason.find(before);
  const std::size_t end = reason.find('\'', at + before.size());
  if (at == std::string::npos || end == std::string::npos) return printable(reason, kLongestReason);
  return reason.substr(at + before.size(), end - at - before.size());
}

}  // namespace

Hdf5Handle::~Hdf5Handle() {
  const QuietHdf5 quiet;
  close();
}

bool Hdf5Handle::close() {
  const hid_t id = std::exchange(id_, -1);
  return id < 0 || close_ == nullptr || close_(id) >= 0;
}

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

void Hdf5Place::fail(const char* doing) const {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  H5Eclear2(H5E_DEFAULT);
  refuse(reason.empty() ? std::string(doing) : fmt::format("{}: {}", doing, shortened(reason)));
}

void Hdf5Place::refuse(const std::string& problem) const {
  throw ConfigError(object_.empty() ? fmt::format("{}: {}", file_, problem)
                                    : fmt::format("{}: {}: {}", file_, object_, problem));
}

}  // namespace waferline::traces
