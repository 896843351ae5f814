// Which question: does a sparse indexer score positions as its equation does in double precision, find the k-th largest
// score bit by bit, and count what the closed form says?

#include "kernels/indexer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/seeded/reference_weights.hpp"
#include "kernels/numerics/contract.hpp"
#include "kernels/reference/reference.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

namespace {

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

void fill(std::mt19937& random, DType dtype, std::span<float> values) {
  std::normal_distribution<float> normal;
  for (float& value : values) value = rounded(dtype, normal(random));
}

std::vector<double> wide(std::span<const float> values) {
  return {values.begin(), values.end()};
}

/// An indexer by itself over a random rectangle, with everything that it reads.
class Indexer {
 public:
  Indexer(std::mt19937& random, DType dtype) : dtype_(dtype), shop_{{}, PlanCache({})} {
    mixer_.index_heads = between(random, 1, 8);
    mixer_.index_head_dim = between(random, 1, 24);
    mixer_.q_lora_rank = between(random, 0, 1) * between(random, 1, 30);
    pass_ = {between(random, 1, 3), between(random, 1, 90), 1};
    mixer_.index_topk = between(random, 1, pass_.context_tokens + 3);
    shop_.options.accumulate = shop_.options.activation = shop_.options.kv = dtype;
    shop_.options.latent_copies = between(random, 1, 4);
    mesh_ = {between(random, 1, 16), between(random, 1, 16)};
    models::StoredType stored;
    stored.dtype = dtype;
    for (const auto role : {models::WeightRole::attention, models::WeightRole::router, models::WeightRole::norm,
                            models::WeightRole::bias})
      weights_.push_back({"role", role, 1, 1, 1, stored});
    storage_ = LayerStorage(weights_);
    Builder b(schedule_, mesh_, pass_, shop_.options, shop_.plans, storage_);
    hidden_ = b.vector("hidden", Axis::y, b.split(Axis::y, between(random, 1, 60)));
    low_ = b.vector("q_low", Axis::x, b.split(Axis::x, std::max<std::int64_t>(1, mixer_.q_lora_rank)));
    append_indexer(b, mixer_, hidden_, low_);
    MachineOptions options;
    options.accumulate = dtype;
    machine_ = std::make_unique<Machine>(schedule_, options, Constants{});
    bind(random);
  }

  void run() { machine_->run(bindings_, {}); }

  const Machine& machine() const { return *machine_; }
  const Schedule& schedule() const { return schedule_; }
  const models::Mixer& mixer() const { return mixer_; }
  const Pass& pass() const { return pass_; }
  std::int64_t chosen() const { return std::min(mixer_.index_topk, pass_.context_tokens); }

  /// Sum over heads of weight x relu(query . key) of every position, and the largest sum of magnitudes in it.
  std::pair<std::vector<double>, double> exact(std::int64_t copy) const {
    const auto q = wide(machine_->buffer(machine_->find("index.q")).of(copy));
    const auto head_weights = wide(machine_->buffer(machine_->find("index.band_weights")).of(copy));
    std::vector<double> totals;
    double magnitude = 0;
    for (const float* entry : caches_[static_cast<std::size_t>(copy)]->entries()) {
      double total = 0;
      double sizes = 0;
      for (std::size_t head = 0; head < head_weights.size(); ++head) {
        double score = 0;
        double size = 0;
        for (std::int64_t d = 0; d < mixer_.index_head_dim; ++d) {
          const double product =
              q[head * static_cast<std::size_t>(mixer_.index_head_dim) + static_cast<std::size_t>(d)] *
              static_cast<double>(entry[d]);
          score += product;
          size += std::abs(product);
        }
        total += head_weights[head] * std::max(score, 0.0);
        sizes += std::abs(head_weights[head]) * size;
      }
      totals.push_back(total);
      magnitude = std::max(magnitude, sizes);
    }
    return {totals, magnitude};
  }

 private:
  void bind(std::mt19937& random) {
    for (std::size_t i = 0; i < schedule_.tensors.size(); ++i) {
      const Tensor& tensor = schedule_.tensors[i];
      const auto id = static_cast<TensorId>(i);
      const bool is_matrix = std::any_of(schedule_.steps.begin(), schedule_.steps.end(), [id](const Step& step) {
        return step.kind == StepKind::gemv && step.second == id;
      });
      if (tensor.use == SramUse::weights && is_matrix) {
        matrices_.push_back(std::make_unique<PanelMatrix>(random(), tensor.along(other(tensor.input_axis)).elements(),
                                                          dtype_, tensor.along(tensor.input_axis), 1));
        bindings_.matrices[id] = {matrices_.back().get()};
      } else if (tensor.use == SramUse::weights) {
        vectors_.push_back(std::make_unique<std::vector<float>>(
            static_cast<std::size_t>(tensor.along_x.elements() * tensor.along_y.elements())));
        fill(random, dtype_, *vectors_.back());
        bindings_.vectors[id] = vectors_.back().get();
      } else if (tensor.use == SramUse::kv) {
        bind_cache(random, id, tensor);
      }
    }
    fill(random, dtype_, machine_->buffer(hidden_).values);
    fill(random, dtype_, machine_->buffer(low_).values);
  }

  void bind_cache(std::mt19937& random, TensorId id, const Tensor& tensor) {
    for (std::int64_t copy = 0; copy < tensor.copies; ++copy) {
      std::vector<float> entries;
      std::vector<float> key(static_cast<std::size_t>(mixer_.index_head_dim));
      for (std::int64_t position = 1; position < pass_.context_tokens; ++position) {
        fill(random, dtype_, key);
        for (std::int64_t band = 0; band < tensor.along_x.heads; ++band)
          entries.insert(entries.end(), key.begin(), key.end());
      }
      caches_.push_back(std::make_unique<KvCache>(mesh_.rows, tensor.along_x.elements(), dtype_));
      caches_.back()->deal(entries);
      bindings_.caches[id].push_back(caches_.back().get());
    }
  }

  DType dtype_;
  Workshop shop_;
  models::Mixer mixer_;
  Pass pass_;
  Extent mesh_;
  std::vector<models::Weight> weights_;
  LayerStorage storage_;
  Schedule schedule_;
  TensorId hidden_ = kNoTensor;
  TensorId low_ = kNoTensor;
  std::unique_ptr<Machine> machine_;
  Bindings bindings_;
  std::vector<std::unique_ptr<PanelMatrix>> matrices_;
  std::vector<std::unique_ptr<std::vector<float>>> vectors_;
  std::vector<std::unique_ptr<KvCache>> caches_;
};

}  // namespace

TEST_CASE("a sparse indexer's scores are within their bound and its threshold is the k-th largest, 200 for each type") {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
    std::mt19937 random(401);
    const double u = dtype == DType::fp16 ? 0x1p-11 : dtype == DType::bf16 ? 0x1p-8 : 0x1p-24;
    double worst = 0;
    int some = 0;
    for (int round = 0; round < 200; ++round) {
      Indexer indexer(random, dtype);
      indexer.run();
      const Machine& machine = indexer.machine();
      INFO(name(dtype) << ", case " << round << ": heads " << indexer.mixer().index_heads << " dim "
                       << indexer.mixer().index_head_dim << " context " << indexer.pass().context_tokens << " top "
                       << indexer.mixer().index_topk);
      for (std::size_t i = 0; i < indexer.schedule().steps.size(); ++i) {
        const Step& step = indexer.schedule().steps[i];
        INFO("step " << step.label);
        CHECK(shown(machine.counters()[i]) == shown(closed_form(step)));
      }
      // Sums of products and over the line, two roundings of each head's score, the sum over heads.
      const double roundings = static_cast<double>(indexer.mixer().index_head_dim + indexer.mixer().index_heads + 20);
      for (std::int64_t copy = 0; copy < indexer.pass().batch; ++copy) {
        const auto scores = machine.buffer(machine.find("index.total")).of(copy);
        const auto [exact, magnitude] = indexer.exact(copy);
        REQUIRE(exact.size() == scores.size());
        for (std::size_t i = 0; i < exact.size(); ++i) {
          const double share = std::abs(scores[i] - exact[i]) / (roundings * (u + 0x1p-24) * magnitude + 1e-6);
          worst = std::isnan(share) ? 1e9 : std::max(worst, share);
        }
        std::vector<float> sorted(scores.begin(), scores.end());
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        CHECK(machine.thresholds()[static_cast<std::size_t>(copy)] ==
              sorted[static_cast<std::size_t>(indexer.chosen() - 1)]);
      }
      some += indexer.chosen() < indexer.pass().context_tokens ? 1 : 0;
    }
    INFO(name(dtype) << ": worst error is " << worst << " of the bound");
    CHECK(worst <= 1);
    CHECK(worst > 0.02);
    CHECK(some > 100);
  }
}

TEST_CASE("attention to positions chosen by value is refused, naming the step") {
  std::mt19937 random(402);
  LayerCase chosen = random_layer_with(random, models::MixerKind::mla, 4, 4);
  chosen.pass.context_tokens = 20;
  chosen.layer.mixers[0].index_heads = 2;
  chosen.layer.mixers[0].index_head_dim = 4;
  chosen.layer.mixers[0].index_topk = 20;
  CHECK_NOTHROW(LayerRun(chosen, 1, {}));
  chosen.layer.mixers[0].index_topk = 19;
  CHECK_THROWS_WITH(LayerRun(chosen, 1, {}), Catch::Contains("attention.scores"));
}
