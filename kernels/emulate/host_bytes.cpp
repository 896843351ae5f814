#include "kernels/emulate/host_bytes.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "arch/units.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kLargePage = std::int64_t{2} << 20;

}  // namespace

void HostBytes::Release::operator()(std::uint8_t* bytes) const {
  std::free(bytes);
}

HostBytes::HostBytes(std::int64_t size) : size_(size) {
  if (size == 0) return;
  const std::int64_t alignment = size >= kLargePage ? kLargePage : kCacheLine;
  const auto padded = static_cast<std::size_t>(ceil_div(size, alignment) * alignment);
  bytes_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(static_cast<std::size_t>(alignment), padded)));
  if (bytes_ == nullptr) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // A wish: a host without large pages refuses it, and the bytes are the same.
  if (alignment == kLargePage) static_cast<void>(madvise(bytes_.get(), padded, MADV_HUGEPAGE));
#endif
  std::memset(bytes_.get(), 0, padded);
}

}  // namespace waferline::kernels::emulate
