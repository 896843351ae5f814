#include <array>

#include "cli/command.hpp"

namespace waferline::cli {

std::span<const CommandEntry> command_entries() {
  static constexpr std::array entries{
      CommandEntry{"deadline", "what fits before a deadline at given rates, and which rate is needed",
                   "--deadline 10s --overhead 1s --answer-tokens 500 --rate gpu=170.7 --rate wafer=1790.3",
                   make_deadline},
      CommandEntry{"validate", "how far the model is from published measurements", "--set waferllm-decode",
                   make_validate},
      CommandEntry{"list", "what can be named: models, systems, software, gpus, engines", "models", make_list},
  };
  return entries;
}

}  // namespace waferline::cli
