// Every layer of every model of the library, as a schedule.
#include "models/library.hpp"
#include "kernels/count.hpp"
#include "models/weights.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernel_layers.hpp"

namespace waferline {
namespace {

using kernels::Schedule;
using kernels::SramUse;
using kernels::Tensor;

std::int64_t weight_elements(const Schedule& schedule) {
  std::int64_t sum = 0;
  for (const Tensor& tensor : schedule.tensors) {
    if (tensor.use == SramUse::weights) sum += tensor.copies * tensor.elements;
  }
  return sum;
}

TEST_CASE("the schedule of every layer of every library model holds each weight of the layer once") {
  kernels::Workshop shop = tests::workshop();
  Schedule schedule;
  for (const models::LibraryEntry& entry : models::library_entries()) {
    const models::Model model = models::load_model(entry.name);
    for (const models::Layer& layer : model.layers) {
      kernels::build_layer(layer, model.hidden_size, {31, 47}, {1, 100, 1}, shop, schedule);
      // Layers that take over an indexer's choice leave their own indexer's weights alone.
      if (!layer.mixers.empty() && layer.mixers[0].index_shared) continue;
      INFO(entry.name);
      REQUIRE(weight_elements(schedule) == models::elements(layer.weights));
    }
  }
}

}  // namespace
}  // namespace waferline
