#include "mapping/placement.hpp"

namespace waferline::mapping {

std::string_view name(RegionUse use) {
  switch (use) {
    case RegionUse::embedding:
      return "embedding";
    case RegionUse::layers:
      return "layers";
    case RegionUse::head:
      return "head";
  }
  return "";
}

std::string Misfit::text() const {
  std::string all = what;
  for (std::size_t i = 0; i < help.size(); ++i) all += (i == 0 ? "; what would help: " : ", or ") + help[i];
  return all;
}

}  // namespace waferline::mapping
