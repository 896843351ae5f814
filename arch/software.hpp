#pragma once
// What one software stack costs on a wafer, apart from the hardware, as read from `arch/software/NAME.toml`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config_node.hpp"
#include "arch/dtype.hpp"
#include "arch/fit_record.hpp"
#include "arch/sourced.hpp"
#include "arch/units.hpp"

namespace waferline {

/// How a line of PEs folds a vector to one root, from where it is multicast. A two-phase reduction is a k-tree of two
/// levels.
enum class ReduceAlgorithm : std::uint8_t { chain, k_tree, star, ring };

/// Where the partial sums of a group meet: at its first PE, or in its middle with both halves folding at once.
enum class ReduceRoot : std::uint8_t { end, middle };

/// Whether the words of a collective cost time: `counted` lets each word hold the links on the critical path for a
/// cycle, `hidden` says that they pass behind the stage overhead.
enum class PayloadCost : std::uint8_t { counted, hidden };

/// Which way a local multiplication loops: one vector instruction for each local input over the local outputs, or for
/// each of the shorter side over the longer one.
enum class LoopOrder : std::uint8_t { per_input, shorter };

std::string_view name(ReduceAlgorithm algorithm);
std::string_view name(ReduceRoot root);
std::string_view name(PayloadCost cost);
std::string_view name(LoopOrder order);

/// Overheads of one software stack. Every number is in cycles per event, bytes per PE, or seconds per token, and none
/// of them depends on the shape of the model: shapes enter through the counts that these multiply.
struct SoftwareProfile {
  std::string name;
  std::string description;
  std::string wafer;  // name of the wafer that the profile was made on; empty if on none

  // Cycles of one PE.
  Sourced<Cycles> vector_instruction_overhead;  // kappa: on top of ceil(n / width), for each vector instruction
  Sourced<Cycles> fabric_stream_overhead;       // on top of n, for n words sent to or taken from the fabric
  Sourced<Cycles> elementwise_per_element;      // on top of the vector rate, for each element of an elementwise step
  Sourced<Cycles> exponential_per_element;      // software exponential: softmax, sigmoid, silu
  Sourced<Cycles> special_per_scalar;           // one reciprocal, square root or division
  Sourced<Cycles> dequantise_per_element;       // one weight widened from a storage type of 8 bits or less

  // Cycles of a collective over one line of PEs.
  Sourced<Cycles> stage_overhead;               // beta: for each software stage, the combine included, ramps excluded
  Sourced<Cycles> collective_startup;           // once for each collective
  std::optional<Sourced<Cycles>> hop_override;  // instead of the wafer's hop; normally absent
  Sourced<ReduceAlgorithm> reduce;
  Sourced<ReduceRoot> root;
  Sourced<std::int64_t> tree_levels;  // K of the k-tree
  Sourced<std::optional<std::int64_t>>
      group_pes;  // PEs of a first-level group; nothing ("best") is the size of least time
  Sourced<PayloadCost> payload;

  // Bytes of each PE that hold no weights, KV or activations.
  Sourced<Bytes> code;
  Sourced<Bytes> buffers;
  Sourced<Bytes> system;  // routing tables, stack and what the runtime keeps

  Sourced<LoopOrder> loop_order;
  Sourced<DType> accumulate;         // type in which dot products are summed
  Sourced<Seconds> fixed_per_token;  // host and runtime, once for each token
  Sourced<Seconds> per_wafer_hop;    // software on top of the link's latency, for each wafer-to-wafer hop

  // Mean tokens that one pass of the measured service yields where it speculates. It belongs to the speeds that the
  // profile was fitted on and enters an estimate only when asked for.
  std::optional<Sourced<double>> accepted_tokens;

  std::optional<FitRecord> fit;  // what `waferline calibrate` left

  bool operator==(const SoftwareProfile&) const = default;
};

/// Names of the software profiles that come with Waferline, sorted.
std::vector<std::string> list_software();

/// The profile of that name, or the one described by a file if `name_or_path` ends in ".toml".
/// Errors: ConfigError naming the nearest names, or every problem of the file with line, key, value and permitted
/// range.
SoftwareProfile load_software(const std::string& name_or_path);

/// Reads a profile from TOML text; `file_name` is for messages.
SoftwareProfile parse_software(std::string_view toml_text, const std::string& file_name);

/// Sets the keys of the object `values` in place, as for wafers; problems stand under "software.KEY".
void set_values(SoftwareProfile& software, const ConfigNode& values, Problems& problems);

/// Keys that set_values takes.
std::vector<std::string> settable_software_keys();

/// The file that `parse_software` reads back to an equal profile: deterministic text, every number with its provenance.
std::string to_toml(const SoftwareProfile& profile);

}  // namespace waferline
