#pragma once
// Memory for what is streamed: rows of a panel never straddle a cache line, and where the host offers pages of 2 MiB
// they are asked for, so that a stream does not stop at every fourth KiB to translate an address.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace waferline::kernels::emulate {

/// A fixed number of bytes, zero at first.
class HostBytes {
 public:
  HostBytes() = default;
  /// Errors: std::bad_alloc.
  explicit HostBytes(std::int64_t size);

  std::int64_t size() const { return size_; }
  std::uint8_t* data() { return bytes_.get(); }
  const std::uint8_t* data() const { return bytes_.get(); }

 private:
  struct Release {
    void operator()(std::uint8_t* bytes) const;
  };
  std::unique_ptr<std::uint8_t[], Release> bytes_;
  std::int64_t size_ = 0;
};

}  // namespace waferline::kernels::emulate
