#pragma once
// Small random models on small random wafers.

#include <random>

#include "mapping/assemble.hpp"
#include "mapping/packing.hpp"
#include "models/model.hpp"

namespace waferline::tests {

/// A model of one to four layers on a wafer of a few dozen PEs with room for one to a few layers each.
struct SmallCase {
  models::Model model;
  Wafer wafer;
  SoftwareProfile software;
  mapping::PlaceRequest request;
};

SmallCase small_case(std::mt19937& random);

/// What the search works with, for one case. Refers to it.
struct Setting {
  explicit Setting(const SmallCase& one);

  mapping::LayerKinds kinds;
  mapping::PartCosts costs;
  mapping::Assembly assembly;
  mapping::Problem problem;
};

}  // namespace waferline::tests
