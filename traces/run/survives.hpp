#pragma once
// For libraries that crash on some damaged files: version 1.10.8 of HDF5 reads beyond its buffers where a type in the
// file is larger than the chunks that hold it.

#include <functional>

namespace waferline::traces {

/// Does `attempt` in a copy of this process, whose errors nobody sees. Returns whether it came to an end, by returning
/// or by an exception; then doing it here, from the same state, does too. If no copy can be made it returns true.
bool survives(const std::function<void()>& attempt);

}  // namespace waferline::traces
