#include "mapping/strip_options.hpp"

#include <algorithm>

namespace waferline::mapping {
namespace {

/// Whether `a` is at least as good as `b` for every kind of layer.
bool betters(const std::vector<PartCost>& a, const std::vector<PartCost>& b) {
  for (std::size_t kind = 0; kind < a.size(); ++kind) {
    if (a[kind].cycles > b[kind].cycles || a[kind].weights + a[kind].kv > b[kind].weights + b[kind].kv ||
        a[kind].kv > b[kind].kv || a[kind].buffers > b[kind].buffers) {
      return false;
    }
  }
  return true;
}

/// Keeps the options of one shape that no other betters.
class Choice {
 public:
  void offer(StripOption&& option) {
    for (const StripOption& other : kept_) {
      if (betters(other.kinds, option.kinds)) return;
    }
    std::erase_if(kept_, [&](const StripOption& other) { return betters(option.kinds, other.kinds); });
    kept_.push_back(std::move(option));
  }
  std::vector<StripOption> take() { return std::move(kept_); }

 private:
  std::vector<StripOption> kept_;
};

class Lister {
 public:
  Lister(const Problem& problem, std::size_t shape, Extent extent)
      : problem_(problem), shape_(shape), extent_(extent) {}

  std::vector<StripOption> list() {
    // Copies of a cache and bands of experts concern different steps: what is bettered alone is bettered together.
    const std::vector<StripOption> by_copies = each(powers_of_two(copies()), {1});
    const std::vector<StripOption> by_bands = each({1}, powers_of_two(bands()));
    std::vector<std::int64_t> best_copies;
    std::vector<std::int64_t> best_bands;
    for (const StripOption& option : by_copies) best_copies.push_back(option.form.latent_copies);
    for (const StripOption& option : by_bands) best_bands.push_back(option.form.expert_bands);
    return each(best_copies, best_bands);
  }

 private:
  static std::vector<std::int64_t> powers_of_two(std::int64_t most) {
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power <= most; power *= 2) powers.push_back(power);
    return powers;
  }
  std::int64_t bands() const {
    return problem_.bands && problem_.costs.has_experts() ? std::min(kMostExpertBands, extent_.cols) : 1;
  }
  std::int64_t copies() const {
    return std::max<std::int64_t>(1, std::min({kMostLatentCopies, problem_.costs.latent_heads(), extent_.cols}));
  }

  std::vector<StripOption> each(const std::vector<std::int64_t>& copies, const std::vector<std::int64_t>& bands) {
    Choice choice;
    for (const std::int64_t copy_count : copies) {
      for (const std::int64_t band_count : bands) {
        StripOption option{shape_, {extent_, band_count, copy_count}, {}};
        bool any_fits = false;
        for (std::size_t kind = 0; kind < problem_.kinds.layers.size(); ++kind) {
          option.kinds.push_back(problem_.costs.layer(kind, option.form));
          any_fits = any_fits || with_part(problem_.empty, option.kinds.back()).free().value >= 0;
        }
        if (any_fits) choice.offer(std::move(option));
      }
    }
    return choice.take();
  }

  const Problem& problem_;
  std::size_t shape_;
  Extent extent_;
};

}  // namespace

bool fits(const SramUse& use, std::int64_t batch, std::int64_t users) {
  const std::int64_t for_caches = (use.free() + use.kv).value;
  if (for_caches < 0) return false;
  return use.kv.value * users <= for_caches * batch;
}

PlannedRegion StripShape::region(const Strips& strips, std::int64_t strip, std::int64_t slot) const {
  PlannedRegion region;
  region.region = strips.region(strip, slot, length);
  region.turned = turned;
  return region;
}

std::vector<StripShape> list_shapes(const Strips& strips, std::int64_t most) {
  std::vector<StripShape> shapes;
  for (std::int64_t parts = 1; parts <= std::min(most, strips.length()); ++parts) {
    const std::int64_t length = strips.length() / parts;
    if (!shapes.empty() && length == shapes.back().length) continue;
    const Extent extent = strips.extent(length);
    shapes.push_back({length, false, extent});
    shapes.push_back({length, true, {extent.cols, extent.rows}});
  }
  return shapes;
}

std::vector<StripOption> list_options(const Problem& problem, const std::vector<StripShape>& shapes) {
  std::vector<StripOption> options;
  const std::int64_t room = std::max<std::int64_t>(problem.empty.free().value, 0);
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    const Extent extent = shapes[shape].extent;
    if (problem.costs.smallest_layer().value > extent.pes() * room) continue;
    for (StripOption& option : Lister(problem, shape, extent).list()) options.push_back(std::move(option));
  }
  return options;
}

}  // namespace waferline::mapping
