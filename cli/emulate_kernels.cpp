#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "cli/command.hpp"
#include "cli/kernel_options.hpp"
#include "cli/progress.hpp"
#include "models/library.hpp"

namespace waferline::cli {
namespace {

using namespace kernels;
using namespace kernels::emulate;

Answer answer_of(const report::KernelRuns& runs, const report::Page& page, KernelOptions& options) {
  Answer answer{report::kernel_runs_text(runs, page), [runs] { return report::kernel_runs_json(runs); }};
  answer.problems = options.finish();
  return answer;
}

/// --model and --layer.
class LayerChoice {
 public:
  void declare(Options& options) {
    options.text("--model", "NAME|FILE", model_, "take the shapes of a model's layer");
    options.integer("--layer", layer_, {0, 100'000}, "of that model, counted from 0");
  }
  bool given() const { return model_.has_value(); }
  std::int64_t index() const { return layer_; }
  void read() {
    if (!model_) throw ConfigError("--model: is missing (a name of `waferline list models`, or a config.json)");
    loaded_ = models::load_model(*model_);
    if (layer_ >= static_cast<std::int64_t>(loaded_.layers.size())) {
      throw ConfigError(fmt::format("--layer: {} (permitted: 0 to {}, the layers of {})", layer_,
                                    loaded_.layers.size() - 1, loaded_.name));
    }
  }
  const models::Layer& layer() const { return loaded_.layers[static_cast<std::size_t>(layer_)]; }
  std::int64_t hidden_size() const { return loaded_.hidden_size; }
  std::string name() const { return fmt::format("{} layer {}", loaded_.name, layer_); }

 private:
  std::optional<std::string> model_;
  std::int64_t layer_ = 0;
  models::Model loaded_;
};

/// Experts that get numbers of their own, so that all together stay within this many elements.
constexpr std::int64_t kMostExpertElements = std::int64_t{1} << 30;

/// Runs one layer, or what is left of it.
report::KernelRuns run_one(const std::string& command, const std::string& what, SeededLayerSpec spec,
                           KernelOptions& options) {
  report::KernelRuns runs = options.begin(command);
  const KernelSetup& setup = options.setup();
  spec.mesh = setup.mesh;
  spec.pass.batch = options.batch();
  spec.options = setup.options;
  spec.collectives = setup.collectives;
  spec.layer = stored_as(spec.layer, setup.weights, setup.options.accumulate);
  for (const models::Ffn& ffn : spec.layer.ffns) {
    const std::int64_t of_expert =
        (ffn.gated ? 3 : 2) * ffn.expert_width * (ffn.latent_size > 0 ? ffn.latent_size : spec.hidden_size);
    if (ffn.routed_experts * of_expert <= kMostExpertElements) continue;
    const std::int64_t bands = setup.options.expert_bands;  // of which each has its own
    spec.different_experts = std::clamp<std::int64_t>(kMostExpertElements / of_expert / bands, 1, ffn.routed_experts);
    runs.notes.push_back(fmt::format("Host memory: the {} experts have the numbers of {}, expert e those of e mod {}.",
                                     ffn.routed_experts, spec.different_experts, spec.different_experts));
  }
  runs.kernels.push_back(options.timed(run_layer(what, spec, setup)));
  const KernelRun& run = runs.kernels.front().run;
  if (!run.error) runs.notes.push_back("No error: there is no reference for " + run.no_error_because + ".");
  return runs;
}

class EmulateGemv : public Command {
 public:
  void given(const std::string& arguments) override { shared_.given(arguments); }
  void declare(Options& options) override {
    options.integer("--rows", rows_, {1, 1 << 20}, "outputs");
    options.integer("--cols", cols_, {1, 1 << 20}, "inputs");
    choice_.declare(options);
    shared_.declare(options);
  }
  Answer run(const report::Page& page, Progress& progress) override {
    if (choice_.given() && (rows_ || cols_)) throw ConfigError("--rows, --cols: given together with --model");
    shared_.resolve();
    std::vector<LayerMatrix> matrices{{"matrix", rows_.value_or(4096), cols_.value_or(4096)}};
    if (choice_.given()) {
      choice_.read();
      matrices = matrices_of(choice_.layer(), choice_.hidden_size());
    }
    report::KernelRuns runs = shared_.begin(choice_.given() ? "gemv, " + choice_.name() : "gemv");
    for (const LayerMatrix& matrix : matrices) {
      progress.say(matrix.name);
      const std::string what = fmt::format("{} {} x {}", matrix.name, matrix.rows, matrix.cols);
      runs.kernels.push_back(shared_.timed(run_gemv(what, matrix.rows, matrix.cols, shared_.batch(), shared_.setup())));
    }
    return answer_of(runs, page, shared_);
  }

 private:
  std::optional<std::int64_t> rows_, cols_;
  LayerChoice choice_;
  KernelOptions shared_;
};

class EmulateGemm : public Command {
 public:
  void given(const std::string& arguments) override { shared_.given(arguments); }
  void declare(Options& options) override {
    options.integer("--rows", rows_, {1, 1 << 16}, "outputs of the weight, columns of the product");
    options.integer("--cols", cols_, {1, 1 << 16}, "inputs of the weight, which are summed over");
    options.integer("--tokens", tokens_, {1, 1 << 16}, "rows of the product");
    options.one_of("--by", by_, {"both", "tiles", "panels"},
                   "tiles that rotate through a ring of two hops (MeshGEMM), panels that are multicast (SUMMA)");
    choice_.declare(options);
    shared_.declare(options);
  }
  Answer run(const report::Page& page, Progress& progress) override {
    if (choice_.given() && (rows_ || cols_)) throw ConfigError("--rows, --cols: given together with --model");
    if (shared_.batch() != 1) throw ConfigError("--batch: given for a gemm (--tokens says how many rows there are)");
    shared_.resolve();
    std::vector<LayerMatrix> matrices{{"matrix", rows_.value_or(1024), cols_.value_or(1024)}};
    if (choice_.given()) {
      choice_.read();
      matrices = matrices_of(choice_.layer(), choice_.hidden_size());
    }
    report::KernelRuns runs = shared_.begin(choice_.given() ? "gemm, " + choice_.name() : "gemm");
    runs.batch = tokens_;
    for (const LayerMatrix& matrix : matrices) {
      progress.say(matrix.name);
      for (const GemmBy by : {GemmBy::tiles, GemmBy::panels}) {
        const char* way = by == GemmBy::tiles ? "tiles" : "panels";
        if (by_ != "both" && by_ != way) continue;
        const std::string what = fmt::format("{} {} x {} by {}", matrix.name, matrix.rows, matrix.cols, way);
        const GemmSizes sizes{tokens_, matrix.cols, matrix.rows};
        runs.kernels.push_back(shared_.timed(run_gemm(what, by, sizes, shared_.setup())));
      }
    }
    return answer_of(runs, page, shared_);
  }

 private:
  std::optional<std::int64_t> rows_, cols_;
  std::int64_t tokens_ = 128;
  std::string by_ = "both";
  LayerChoice choice_;
  KernelOptions shared_;
};

class EmulateAttention : public Command {
 public:
  void given(const std::string& arguments) override { shared_.given(arguments); }
  void declare(Options& options) override {
    options.integer("--heads", heads_, {1, 4096}, "query heads (default: 32)");
    options.integer("--kv-heads", kv_heads_, {1, 4096}, "key and value heads (default: 8)");
    options.integer("--head-dim", head_dim_, {2, 4096}, "size of a head, even (default: 128)");
    options.integer("--context", context_, {1, 1 << 20}, "positions attended to, the new token included");
    options.integer("--latent-copies", latent_copies_, {1, 4096}, "copies of a latent cache along the columns");
    choice_.declare(options);
    shared_.declare(options);
  }
  Answer run(const report::Page& page, Progress& progress) override {
    if (choice_.given() && (heads_ || kv_heads_ || head_dim_))
      throw ConfigError("--heads, --kv-heads, --head-dim: given together with --model");
    shared_.resolve();
    SeededLayerSpec spec;
    std::string what = "attention";
    if (choice_.given()) {
      choice_.read();
      spec.layer = choice_.layer();
      spec.layer.ffns.clear();
      std::erase_if(spec.layer.weights, [](const models::Weight& w) { return w.role == models::WeightRole::other; });
      spec.hidden_size = choice_.hidden_size();
      what = choice_.name() + ", mixer";
    } else {
      build(spec);
    }
    spec.layer.norms = 1;
    spec.pass.context_tokens = context_;
    progress.say("attention");
    shared_.set_latent_copies(latent_copies_);
    return answer_of(run_one("attention", what, spec, shared_), page, shared_);
  }

 private:
  void build(SeededLayerSpec& spec) const {
    models::Mixer mixer;
    mixer.kind = models::MixerKind::full_attention;
    mixer.heads = heads_.value_or(32);
    mixer.kv_heads = kv_heads_.value_or(8);
    mixer.head_dim = mixer.v_head_dim = head_dim_.value_or(128);
    if (mixer.heads % mixer.kv_heads != 0)
      throw ConfigError(fmt::format("--kv-heads: {} does not divide --heads {}", mixer.kv_heads, mixer.heads));
    if (mixer.head_dim % 2 != 0)
      throw ConfigError(fmt::format("--head-dim: {} is odd (rotary pairs need an even size)", mixer.head_dim));
    spec.layer.mixers.push_back(mixer);
    spec.hidden_size = mixer.heads * mixer.head_dim;
    spec.layer.weights = {{"self_attn.q_proj.weight", models::WeightRole::attention, 1, 2, 2, {}},
                          {"input_layernorm.weight", models::WeightRole::norm, 1, 2, 1, {}},
                          {"self_attn.q_proj.bias", models::WeightRole::bias, 1, 2, 1, {}}};
  }

  std::optional<std::int64_t> heads_, kv_heads_, head_dim_;
  std::int64_t context_ = 512;
  std::int64_t latent_copies_ = 1;
  LayerChoice choice_;
  KernelOptions shared_;
};

class EmulateLayer : public Command {
 public:
  void given(const std::string& arguments) override { shared_.given(arguments); }
  void declare(Options& options) override {
    choice_.declare(options);
    options.integer("--context", context_, {1, 1 << 20}, "positions attended to, the new token included");
    options.integer("--latent-copies", latent_copies_, {1, 4096}, "copies of a latent cache along the columns");
    options.integer("--expert-bands", expert_bands_, {1, 4096}, "bands of PEs over which experts are dealt out");
    shared_.declare(options);
  }
  Answer run(const report::Page& page, Progress& progress) override {
    shared_.resolve();
    choice_.read();
    SeededLayerSpec spec;
    spec.layer = choice_.layer();
    spec.hidden_size = choice_.hidden_size();
    spec.pass.context_tokens = context_;
    progress.say("layer");
    shared_.set_latent_copies(latent_copies_);
    shared_.set_expert_bands(expert_bands_);
    return answer_of(run_one("layer", choice_.name(), spec, shared_), page, shared_);
  }

 private:
  std::int64_t context_ = 512;
  std::int64_t latent_copies_ = 1;
  std::int64_t expert_bands_ = 1;
  LayerChoice choice_;
  KernelOptions shared_;
};

}  // namespace

std::unique_ptr<Command> make_emulate_attention() {
  return std::make_unique<EmulateAttention>();
}
std::unique_ptr<Command> make_emulate_gemm() {
  return std::make_unique<EmulateGemm>();
}
std::unique_ptr<Command> make_emulate_gemv() {
  return std::make_unique<EmulateGemv>();
}
std::unique_ptr<Command> make_emulate_layer() {
  return std::make_unique<EmulateLayer>();
}

}  // namespace waferline::cli
