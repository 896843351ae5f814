#pragma once
// The time of one pass of tokens through a placement, by cause and by stage.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "arch/software.hpp"
#include "arch/units.hpp"
#include "arch/wafer.hpp"
#include "kernels/options.hpp"
#include "kernels/rates.hpp"
#include "kernels/schedule.hpp"
#include "mapping/part_costs.hpp"
#include "mapping/placement.hpp"
#include "models/model.hpp"

namespace waferline::estimate {

/// What a part of the time is spent on. Names are the keys of `breakdown_s`.
enum class Cause : std::uint8_t {
  weights_sweep,                ///< weights, caches and states through the read ports
  multiply,                     ///< arithmetic and operand traffic beyond that, widening included
  vector_instruction_overhead,  ///< of multiplications
  elementwise,                  ///< norms, rotations, activations, residuals: instructions and elements
  softmax,                      ///< elementwise work and exponentials on the scores
  hops,                         ///< wavelets between routers
  software_stages,              ///< combine-and-forward, ramps, start-up
  payload,                      ///< words beyond the first on links and ramps
  lm_head_and_sampling,         ///< final norm, head, choice, the token's way back, its row of the embedding
  wafer_to_wafer,               ///< links between wafers and their software
  fixed                         ///< once for each token, whatever the model
};
inline constexpr std::size_t kCauses = 11;

std::string_view name(Cause cause);

/// Cycles or seconds by cause.
template <class Unit>
struct ByCause {
  std::array<Unit, kCauses> part{};

  Unit& operator[](Cause cause) { return part[static_cast<std::size_t>(cause)]; }
  const Unit& operator[](Cause cause) const { return part[static_cast<std::size_t>(cause)]; }
  Unit total() const {
    Unit sum;
    for (const Unit& one : part) sum += one;
    return sum;
  }
  ByCause& operator+=(const ByCause& more) {
    for (std::size_t i = 0; i < kCauses; ++i) part[i] += more.part[i];
    return *this;
  }
};

/// Splits a schedule's time by cause, and checks every step against its own bound.
/// Errors: std::logic_error naming the step if its time is below its port bytes, its arithmetic or its hops.
ByCause<Cycles> split_time(const kernels::Schedule& schedule, const kernels::Rates& rates);

/// One pass. `fixed` is not in it: it is spent once for each token, not for each pass.
struct PassTime {
  ByCause<Seconds> by_cause;
  std::vector<Seconds>
      stages;  ///< of each region of the placement, its transfer to the next on the same wafer included
  std::int64_t wafer_hops = 0;  ///< the way back included

  Seconds total() const { return by_cause.total(); }
};

/// Everything that a pass is timed for.
struct PassInputs {
  const models::Model& model;
  const mapping::LayerKinds& kinds;
  const mapping::Placement& placement;
  kernels::Pass pass;
};

/// Times a pass again and again with schedules built once: the arrangement of collectives is that of the wafer and the
/// software it was made for, whatever the numbers it is timed with.
class PassTimer {
 public:
  /// Builds all schedules. `inputs` refers to objects that must outlive this one.
  PassTimer(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software);

  /// Times them with the numbers of `wafer` and `software`.
  PassTime time(const Wafer& wafer, const SoftwareProfile& software) const;

 private:
  /// A kind of layer over a rectangle, or the way to one.
  struct Key {
    std::size_t kind = 0;
    std::int64_t hops = 0;
    mapping::Form form;
    bool operator==(const Key&) const = default;
  };
  /// Index into schedules_; `build` makes what is not there yet.
  template <class Build>
  std::size_t find(const Key& key, Build build);

  PassInputs inputs_;
  std::vector<Key> keys_;
  std::vector<kernels::Schedule> schedules_;
  std::vector<std::vector<std::size_t>> layers_;  ///< schedules of each region's layers, in order
  std::vector<std::size_t> shared_;               ///< schedule of each head or embedding region
  std::vector<std::size_t> ways_;  ///< schedule of the way from each region to the next, the last one's back
  Bytes hidden_bytes_;
};

/// Times a pass through `inputs.placement` on this wafer under this software.
PassTime time_pass(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software);

}  // namespace waferline::estimate
