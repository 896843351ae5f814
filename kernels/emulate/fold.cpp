// Follows: WaferLLM (arXiv 2502.04563), section 5 (K-tree all-reduce: both halves of a group fold to its middle);
// Luczynski et al., HPDC 2024 (chain and two-phase reduce).
#include "kernels/emulate/fold.hpp"

#include <algorithm>

#include "arch/error.hpp"
#include "kernels/numerics/contract.hpp"
#include "kernels/tree_layout.hpp"

namespace waferline::kernels::emulate {
namespace {

/// Roots of the children from the outermost one inwards, then the item's root.
void append_side(const TreeLayout& layout, int level, LineRange children, std::int64_t root, bool from_left, bool store,
                 std::vector<Combine>& combines) {
  const std::int64_t count = children.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t child = from_left ? children.begin + i : children.end - 1 - i;
    const std::int64_t inwards = from_left ? child + 1 : child - 1;
    const bool last = i + 1 == count;
    combines.push_back({layout.root(level - 1, child), last ? root : layout.root(level - 1, inwards), last && store});
  }
}

void append_item(const TreeLayout& layout, int level, std::int64_t item, std::vector<Combine>& combines) {
  if (level == 0) return;
  const LineRange children = layout.children(level, item);
  for (std::int64_t child = children.begin; child < children.end; ++child)
    append_item(layout, level - 1, child, combines);
  const TreeLayout::Sides sides = layout.sides(level, item);
  // A root whose own word went to one of its children's sums starts from the first sum that arrives.
  bool holds_sum = sides.own_child >= 0;
  for (const bool left : {sides.left_first, !sides.left_first}) {
    const LineRange side = left ? sides.left : sides.right;
    append_side(layout, level, side, sides.root, left, !holds_sum, combines);
    holds_sum = holds_sum || side.size() > 0;
  }
}

std::vector<Combine> combines_of(const CollectivePlan& plan, std::int64_t pes, std::int64_t& root) {
  std::vector<Combine> combines;
  root = 0;
  if (pes <= 1) return combines;
  if (plan.algorithm == Algorithm::ring)
    throw ConfigError("collective plan: a ring has no one order of sums (chain, k_tree, star)");
  if (plan.algorithm == Algorithm::star) {
    for (std::int64_t pe = 1; pe < pes; ++pe) combines.push_back({pe, 0, false});
    return combines;
  }
  const TreeLayout layout(plan, pes);
  root = layout.root();
  append_item(layout, layout.levels(), 0, combines);
  return combines;
}

/// Deals out slots to local sums while the combines pass.
class SlotPlan {
 public:
  explicit SlotPlan(Fold& fold) : fold_(fold), slot_of_(static_cast<std::size_t>(fold.pes)) {
    for (const Combine& combine : fold.combines) {
      form_up_to(std::max(combine.from, combine.to));
      take_in(combine);
    }
    form_up_to(fold.root);
    fold.root_slot = slot(fold.root);
    fold.slots = slots_;
  }

 private:
  std::int32_t slot(std::int64_t pe) const { return slot_of_[static_cast<std::size_t>(pe)]; }

  void form_up_to(std::int64_t pe) {
    for (; formed_ <= pe; ++formed_) {
      if (free_.empty()) free_.push_back(slots_++);
      slot_of_[static_cast<std::size_t>(formed_)] = free_.back();
      free_.pop_back();
      fold_.steps.push_back({static_cast<std::int32_t>(formed_), simd::SumStep::kNone, slot(formed_)});
    }
  }

  void take_in(const Combine& combine) {
    if (combine.store) {  // the receiver sent its own sum before and goes on with this one, in the slot where it lies
      slot_of_[static_cast<std::size_t>(combine.to)] = slot(combine.from);
      return;
    }
    simd::SumStep& last = fold_.steps.back();
    const bool just_formed =
        last.block == combine.to && last.to == slot(combine.to) && last.from == simd::SumStep::kNone;
    if (just_formed) {
      last.from = slot(combine.from);
    } else {
      fold_.steps.push_back({simd::SumStep::kNone, slot(combine.from), slot(combine.to)});
    }
    free_.push_back(slot(combine.from));  // what was sent is not needed again
  }

  Fold& fold_;
  std::vector<std::int32_t> slot_of_;
  std::vector<std::int32_t> free_;
  std::int32_t slots_ = 0;
  std::int64_t formed_ = 0;
};

}  // namespace

Fold fold_of(const CollectivePlan& plan, std::int64_t pes) {
  Fold fold;
  fold.pes = std::max<std::int64_t>(1, pes);
  fold.combines = combines_of(plan, pes, fold.root);
  SlotPlan{fold};
  return fold;
}

std::span<const float> run_fold(const Fold& fold, Reduction reduction, DType wire, simd::InstructionSet set,
                                std::span<float> values, std::int64_t lanes) {
  for (const Combine& combine : fold.combines) {
    const float* from = values.data() + combine.from * lanes;
    float* to = values.data() + combine.to * lanes;
    if (combine.store) {
      std::copy(from, from + lanes, to);
    } else if (reduction == Reduction::sum) {
      simd::combine_sum(set, wire, from, to, lanes);
    } else {
      for (std::int64_t i = 0; i < lanes; ++i) to[i] = std::max(to[i], from[i]);
    }
  }
  return values.subspan(static_cast<std::size_t>(fold.root * lanes), static_cast<std::size_t>(lanes));
}

std::span<const float> sum_products(const Fold& fold, std::span<const simd::PanelTerm> terms, DType wire,
                                    bool fp16_accumulation, simd::InstructionSet set, std::vector<float>& scratch) {
  constexpr std::int64_t kOutputs = simd::kPanelOutputs;
  if (simd::sums_in(wire)) {
    scratch.resize(static_cast<std::size_t>(fold.slots * kOutputs));
    const simd::LineSum line{fold.steps, fold.root_slot, fp16_accumulation, wire};
    return {simd::sum_panel(set, terms, line, scratch.data()), static_cast<std::size_t>(kOutputs)};
  }
  scratch.assign(static_cast<std::size_t>(fold.pes * kOutputs), 0.0F);
  for (const simd::PanelTerm& term : terms) {
    simd::panel_partials(set, term.panel, term.x, term.bounds, fp16_accumulation, scratch.data());
    round_in_place(wire, scratch);
  }
  return run_fold(fold, Reduction::sum, wire, set, scratch, kOutputs);
}

LineTraffic::LineTraffic(std::int64_t pes) {
  for (auto* counts : {&forwards, &backwards, &combined, &sent, &received})
    counts->assign(static_cast<std::size_t>(pes), 0);
}

void LineTraffic::multicast(std::int64_t root, std::int64_t wavelets) {
  if (sent.size() <= 1) return;
  const auto at = static_cast<std::size_t>(root);
  sent[at] += wavelets;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (i != at) received[i] += wavelets;
    if (i >= at && i + 1 < sent.size()) forwards[i] += wavelets;
    if (i > 0 && i <= at) backwards[i] += wavelets;
  }
}

LineTraffic line_traffic(const Fold& fold, std::int64_t wavelets, bool multicast) {
  LineTraffic traffic(fold.pes);
  for (const Combine& combine : fold.combines) {
    for (std::int64_t i = combine.from; i < combine.to; ++i) traffic.forwards[static_cast<std::size_t>(i)] += wavelets;
    for (std::int64_t i = combine.from; i > combine.to; --i) traffic.backwards[static_cast<std::size_t>(i)] += wavelets;
    traffic.sent[static_cast<std::size_t>(combine.from)] += wavelets;
    traffic.received[static_cast<std::size_t>(combine.to)] += wavelets;
    if (!combine.store) traffic.combined[static_cast<std::size_t>(combine.to)] += wavelets;
  }
  if (multicast) traffic.multicast(fold.root, wavelets);
  return traffic;
}

LineTraffic multicast_traffic(std::int64_t pes, std::int64_t root, std::int64_t wavelets) {
  LineTraffic traffic(pes);
  traffic.multicast(root, wavelets);
  return traffic;
}

FoldTraffic traffic_of(const Fold& fold, std::int64_t wavelets, bool multicast) {
  const LineTraffic line = line_traffic(fold, wavelets, multicast);
  FoldTraffic traffic;
  traffic.messages = static_cast<std::int64_t>(fold.combines.size());
  traffic.link_wavelets = std::max(*std::max_element(line.forwards.begin(), line.forwards.end()),
                                   *std::max_element(line.backwards.begin(), line.backwards.end()));
  traffic.combines = *std::max_element(line.combined.begin(), line.combined.end());
  return traffic;
}

}  // namespace waferline::kernels::emulate
