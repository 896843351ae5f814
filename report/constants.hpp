#pragma once
// The numbers of a profile that a calibration may have fitted, each with its unit. For the .cpp files of this folder.

#include <string>
#include <vector>

#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"

namespace waferline::report {

struct Constant {
  std::string name;
  std::string unit;  ///< "cycles", "s", "tokens", "" for a fraction
  double value = 0;
  double low = 0;
  double high = 0;
  Provenance provenance;
};

std::vector<Constant> constants_of(const SoftwareProfile& profile);
std::vector<Constant> constants_of(const GpuEngine& engine);

}  // namespace waferline::report
