#include "mapping/packing.hpp"

#include <numeric>

#include "tests/support/catch.hpp"

using waferline::Bytes;
using waferline::Cycles;
using waferline::mapping::LayerKinds;
using waferline::mapping::pack_evenly;
using waferline::mapping::pack_layers;
using waferline::mapping::PartCost;
using waferline::mapping::SramUse;

namespace {

/// Two kinds of layers, the first small, the second large, by turns.
LayerKinds alternating(std::int64_t layers) {
  LayerKinds kinds;
  kinds.layers = {nullptr, nullptr};
  kinds.count = {0, 0};
  for (std::int64_t i = 0; i < layers; ++i) {
    kinds.of_layer.push_back(static_cast<std::size_t>(i % 2));
    ++kinds.count[static_cast<std::size_t>(i % 2)];
  }
  return kinds;
}

const std::vector<PartCost> kCosts{{Bytes{100}, Bytes{10}, Bytes{30}, Cycles{1}},
                                   {Bytes{300}, Bytes{20}, Bytes{50}, Cycles{1}}};

/// 40 bytes of code, 60 of system, 20 of buffers.
SramUse of_capacity(std::int64_t bytes) {
  return {Bytes{0}, Bytes{0}, Bytes{20}, Bytes{40}, Bytes{60}, Bytes{bytes}};
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("A region filled to its last byte holds two layers, and with one byte less only one") {
  // Weights and caches add up, buffers are shared: 100 + 10 + 300 + 20 + max(30, 50) + 40 + 60.
  const LayerKinds kinds = alternating(2);
  CHECK(pack_layers(kinds, kCosts, of_capacity(580), 2) == std::vector<std::int64_t>{2});
  CHECK(pack_layers(kinds, kCosts, of_capacity(579), 2) == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("A layer that is one byte too large alone is not packed at all") {
  // 300 + 20 + 50 + 40 + 60.
  const LayerKinds kinds = alternating(2);
  CHECK(pack_layers(kinds, kCosts, of_capacity(470), 9) == std::vector<std::int64_t>{1, 1});
  CHECK(pack_layers(kinds, kCosts, of_capacity(469), 9).empty());
}

TEST_CASE("Regions share the layers evenly when there is room, and each layer is owned once") {
  const LayerKinds kinds = alternating(12);
  const std::vector<std::int64_t> even = pack_evenly(kinds, kCosts, of_capacity(100'000), 5);
  CHECK(even == std::vector<std::int64_t>{3, 3, 3, 3});
  for (std::int64_t regions = 1; regions <= 12; ++regions) {
    const std::vector<std::int64_t> packed = pack_evenly(kinds, kCosts, of_capacity(100'000), regions);
    CHECK(static_cast<std::int64_t>(packed.size()) <= regions);
    CHECK(sum(packed) == 12);
  }
}

TEST_CASE("Too few regions are an empty answer") {
  CHECK(pack_evenly(alternating(4), kCosts, of_capacity(580), 1).empty());
  CHECK(pack_evenly(alternating(4), kCosts, of_capacity(580), 2) == std::vector<std::int64_t>{2, 2});
}
