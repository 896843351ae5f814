#pragma once
// What one class of serving engines makes of a GPU: five constants, as read from `arch/engines/NAME.toml`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/fit_record.hpp"
#include "arch/sourced.hpp"
#include "arch/units.hpp"

namespace waferline {

/// What several devices do with one token: each a share of every layer, or each whole layers, one after the other.
enum class DeviceSplit : std::uint8_t { tensor, layers };

/// How an allreduce grows with the number of devices: all peers at once, or ceil(log2 n) rounds of a tree.
enum class AllreduceRounds : std::uint8_t { one_shot, tree };

/// Whether the attention kernel reads the cache once for each KV head or again for every query head that shares it.
enum class KvReads : std::uint8_t { per_kv_head, per_query_head };

/// What a scheduler reserves before it admits a request: room for all tokens it may reach, or for those it has.
enum class Admission : std::uint8_t { whole_request, current_tokens };

std::string_view name(DeviceSplit split);
std::string_view name(AllreduceRounds rounds);
std::string_view name(KvReads reads);
std::string_view name(Admission admission);

/// Most bytes of weights that one compute unit takes in per cycle in the engine's batch-1 kernels.
struct UnitReadLimit {
  Sourced<BytesPerCycle> bytes_per_cycle;
  std::vector<std::string> architectures;  // generations on which it was seen; empty: all
  bool operator==(const UnitReadLimit&) const = default;
};

/// How the engine works and what is taken as known of it. None of these is fitted.
struct EngineTraits {
  std::string engine;    // engine and version whose speed this is: "vLLM", "llama.cpp CUDA"
  std::string measured;  // when: "2024", "2025-2026"
  DeviceSplit device_split = DeviceSplit::tensor;
  AllreduceRounds allreduce_rounds = AllreduceRounds::one_shot;
  KvReads kv_reads = KvReads::per_kv_head;
  Admission admission = Admission::current_tokens;
  Sourced<double> arithmetic_fraction;  // of the dense rate, reached in prefill and batched decode
  Sourced<double> link_fraction;        // of the link rate, reached by the payload of an allreduce
  Sourced<double> memory_fraction;      // of the memory, that the engine may fill
  Sourced<double> layer_kernels;        // kernels that one layer launches; one more costs a share of layer_overhead
  bool operator==(const EngineTraits&) const = default;
};

/// Constants of the GPU decode model (docs/model.md, F40 and following). Fractions are of the
/// bandwidth that the best kernel achieves where that is known, else of the nominal one.
struct GpuEngine {
  std::string name;
  std::string description;
  std::vector<std::string> gpus;                 // GPUs that the data came from, by name; may be empty
  Sourced<double> weight_bandwidth_fraction;     // e_w
  Sourced<double> kv_bandwidth_fraction;         // e_kv
  Sourced<Seconds> layer_overhead;               // o: for each layer
  Sourced<Seconds> allreduce;                    // a: for each of the two allreduces of a layer on several devices
  Sourced<Seconds> token_overhead;               // c: for each token of each sequence
  std::optional<UnitReadLimit> unit_read_limit;  // only in classes without allreduce, so that constants stay five
  EngineTraits traits;
  FitRecord fit;
  bool operator==(const GpuEngine&) const = default;
};

/// Names of the engine profiles that come with Waferline, sorted.
std::vector<std::string> list_gpu_engines();

/// The engine of that name, or the one described by a file if `name_or_path` ends in ".toml".
/// Errors: ConfigError naming the nearest names, or every problem of the file with line, key, value and permitted
/// range.
GpuEngine load_gpu_engine(const std::string& name_or_path);

/// Reads an engine from TOML text; `file_name` is for messages.
GpuEngine parse_gpu_engine(std::string_view toml_text, const std::string& file_name);

/// The file that `parse_gpu_engine` reads back to an equal engine: deterministic text, every number with its
/// provenance.
std::string to_toml(const GpuEngine& engine);

}  // namespace waferline
