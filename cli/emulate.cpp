#include "cli/command.hpp"
#include "cli/emulate_model.hpp"

namespace waferline::cli {
namespace {

/// `emulate WHAT`: runs a schedule on real numbers.
class Emulate : public Command {
 public:
  void declare(Options& options) override {
    options.one_of_positional("WHAT", what_, {"model"}, "what to run");
    options.text("--weights", "DIR|FILE", request_.weights,
                 "folder with config.json and *.safetensors, or a GGUF or safetensors file");
    options.text("--model", "NAME|FILE", request_.model,
                 "instead of weights: seeded ones in the true shapes of a model");
    options.integer("--seed", request_.seed, {0, 1'000'000'000}, "of seeded weights");
    options.text("--prompt-ids", "ID,ID", request_.prompt_ids,
                 "token ids to feed first (default: the model's bos_token_id)");
    options.integer("--tokens", request_.tokens, {1, 1'000'000}, "tokens to generate");
    options.text("--mesh", "ROWSxCOLS", request_.mesh, "rectangle of PEs for each layer");
    options.integer("--threads", request_.threads, {1, 1024},
                    "host threads (default: processors); results do not depend on it");
    options.one_of("--dtype", request_.dtype, {"fp32", "fp16", "bf16", "int8", "int4", "fp8_e4m3"},
                   "storage of weights; int8 and int4 with a 16-bit scale for 32 inputs");
    options.text("--accumulate", "TYPE", request_.accumulate,
                 "fp32 or fp16, also of vectors and caches (default: the software's, fp32 for fp32 and bf16 weights)");
    options.integer("--stop-token", request_.stop_token, {0, 1 << 24},
                    "id after which to stop (default: the model's eos_token_id)");
    options.integer("--layers", request_.layers, {1, 10000}, "run only the first layers");
    options.text("--system", "NAME", request_.system, "wafer");
    options.text("--software", "NAME", request_.software, "software profile");
    options.integer("--sram-bytes", request_.sram_bytes, {1, 1'000'000'000},
                    "SRAM of a PE, code and system included (default: the wafer's)");
    declare_recording(options, request_.recording);
  }

  Answer run(const report::Page& page, Progress& progress) override { return emulate_model(request_, page, progress); }

  void given(const std::string& arguments) override { request_.recording.command = arguments; }

  void standard_output_is_taken() override { request_.tokens_to_stdout = false; }

 private:
  std::string what_ = "model";
  EmulateModelRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_emulate() {
  return std::make_unique<Emulate>();
}

}  // namespace waferline::cli
