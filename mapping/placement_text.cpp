#include "mapping/placement.hpp"

namespace waferline::mapping {

std::string_view name(RegionUse use) {
  return use == RegionUse::layers ? "layers" : "head";
}

std::string Misfit::text() const {
  std::string all = what;
  for (std::size_t i = 0; i < help.size(); ++i) all += (i == 0 ? "; what would help: " : ", or ") + help[i];
  return all;
}

}  // namespace waferline::mapping
