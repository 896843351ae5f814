#pragma once
// Lists of inputs for tests of sweeps.

#include <string>
#include <vector>

#include "arch/profile_values.hpp"
#include "estimate/sweep/sweep.hpp"
#include "models/library.hpp"

namespace waferline::tests {

/// One library model on one wafer with one software profile; everything else as it is by default.
inline estimate::SweepAxes sweep_axes(const std::string& model, const std::string& system,
                                      const std::string& software) {
  estimate::SweepAxes axes;
  axes.models.push_back({model, models::load_model(model), "content of the model"});
  axes.systems.push_back({system, load_wafer(system), "content of the wafer"});
  axes.software.push_back({software, load_software(software), "content of the software"});
  return axes;
}

inline estimate::SweepSetting setting(const std::string& key, const std::vector<std::string>& values) {
  estimate::SweepSetting setting{key, {}};
  for (const std::string& value : values) setting.values.push_back(value_from_text(value));
  return setting;
}

/// The cell of a row under a name.
inline std::string cell(const estimate::Sweep& sweep, const estimate::SweepRow& row, const std::string& column) {
  for (std::size_t i = 0; i < sweep.columns().size(); ++i) {
    if (sweep.columns()[i].name == column) return row.at(i);
  }
  throw std::out_of_range(column);
}

}  // namespace waferline::tests
