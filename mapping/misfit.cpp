#include <fmt/format.h>

#include <algorithm>

#include "mapping/assemble.hpp"
#include "mapping/packing.hpp"

namespace waferline::mapping {
namespace {

/// Kind of layer that asks most of a PE when it has a whole wafer, and that PE's SRAM.
struct Largest {
  std::size_t kind = 0;
  SramUse use;
};

Largest largest_of(const Assembly& assembly, const Form& form) {
  const SramUse empty = empty_region(assembly.wafer, assembly.software);
  Largest largest{0, with_part(empty, assembly.costs.layer(0, form))};
  for (std::size_t kind = 1; kind < assembly.kinds.layers.size(); ++kind) {
    const SramUse use = with_part(empty, assembly.costs.layer(kind, form));
    if (use.free() < largest.use.free()) largest = {kind, use};
  }
  return largest;
}

/// In the way that leaves most room.
Largest largest_on_a_wafer(const Assembly& assembly) {
  const Extent usable = assembly.wafer.usable();
  Largest best = largest_of(assembly, {usable, 1, 1});
  const std::int64_t most_bands = assembly.costs.has_experts() ? kMostExpertBands : 1;
  for (std::int64_t bands = 1; bands <= most_bands; bands *= 2) {
    for (const Extent extent : {usable, Extent{usable.cols, usable.rows}}) {
      const Largest other = largest_of(assembly, {extent, bands, 1});
      if (other.use.free() > best.use.free()) best = other;
    }
  }
  return best;
}

std::size_t first_layer_of(const LayerKinds& kinds, std::size_t kind) {
  return static_cast<std::size_t>(std::find(kinds.of_layer.begin(), kinds.of_layer.end(), kind) -
                                  kinds.of_layer.begin());
}

void suggest_less(const Assembly& assembly, const SramUse& use, std::vector<std::string>& help) {
  if (use.kv > use.weights) {
    if (assembly.request.batch > 1) help.push_back(fmt::format("a batch below {}", assembly.request.batch));
    help.push_back(fmt::format("a context below {} tokens", assembly.request.context_tokens));
  }
  help.push_back("fewer bits for each weight (--weight-bits 8 or 4)");
}

}  // namespace

Misfit no_room_at_all(const Assembly& assembly) {
  const SramUse empty = empty_region(assembly.wafer, assembly.software);
  return {
      fmt::format("code, system and buffers of software \"{}\" take {} of the {} B of each PE of {}: no byte is left "
                  "for weights",
                  assembly.software.name, empty.used().value, empty.capacity.value, assembly.wafer.name),
      {"a software profile with less code"},
      std::nullopt};
}

Misfit layer_too_large(const Assembly& assembly) {
  const Largest largest = largest_on_a_wafer(assembly);
  const SramUse& use = largest.use;
  Misfit misfit;
  if (use.free().value >= 0) {
    misfit.what =
        fmt::format("every layer fits on a wafer of its own, but the output head of {} does not fit on {} regions",
                    assembly.model.name, assembly.request.wafers.value_or(0));
  } else {
    misfit.what = fmt::format(
        "layer {} alone on a whole {} wafer needs {} B of each PE (weights {}, caches {}, buffers {}, code {}, system "
        "{}), "
        "{} B more than the {} it has",
        first_layer_of(assembly.kinds, largest.kind), assembly.wafer.name, use.used().value, use.weights.value,
        use.kv.value, use.buffers.value, use.code.value, use.system.value, -use.free().value, use.capacity.value);
  }
  suggest_less(assembly, use, misfit.help);
  return misfit;
}

Misfit too_few_wafers(const Assembly& assembly, std::int64_t needed) {
  const std::int64_t given = assembly.request.wafers.value_or(0);
  const std::int64_t pes = assembly.wafer.usable().pes() * given;
  const SramUse empty = empty_region(assembly.wafer, assembly.software);
  Misfit misfit;
  misfit.what = fmt::format(
      "{} at {} cached tokens for {} user(s) needs {} {} wafers, {} given: their {} PEs have {} B each for weights and "
      "caches, {:.2f} GB in all, and the layers' weights alone are {:.2f} GB before padding",
      assembly.model.name, assembly.request.context_tokens, assembly.request.batch, needed, assembly.wafer.name, given,
      pes, empty.free().value, static_cast<double>(pes * empty.free().value) * 1e-9,
      static_cast<double>(assembly.costs.all_layers().value) * 1e-9);
  misfit.wafers_needed = needed;
  misfit.help.push_back(fmt::format("--wafers {}", needed));
  suggest_less(assembly, largest_on_a_wafer(assembly).use, misfit.help);
  return misfit;
}

}  // namespace waferline::mapping
