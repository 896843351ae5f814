#pragma once
// The numbers of a hardware file and a software profile that an estimate rests on, each with its name.

#include <cstdint>
#include <string>
#include <vector>

#include "arch/software.hpp"
#include "arch/wafer.hpp"

namespace waferline::estimate {

/// One input as it is shown.
struct InputLine {
  std::string key;    ///< "wafer.clock_hz", as section and key of the file
  std::string value;  ///< with its band if it has one
  Provenance provenance;
  bool has_band = false;
};

/// All inputs of the timing, wafer first, in the order of their files.
std::vector<InputLine> list_inputs(const Wafer& wafer, const SoftwareProfile& software);

/// Sets the input at `index` of that list to its low or high end, in place.
void set_to_end(Wafer& wafer, SoftwareProfile& software, std::size_t index, bool high);

}  // namespace waferline::estimate
