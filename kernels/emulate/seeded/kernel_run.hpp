#pragma once
// One kernel on seeded numbers: run over a rectangle of PEs, compared with double precision, counted and timed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/emulate/decode.hpp"
#include "kernels/emulate/seeded/seeded_layer.hpp"
#include "kernels/gemm.hpp"

namespace waferline::kernels::emulate {

/// What every kernel is run with.
struct KernelSetup {
  Extent mesh{8, 8};
  models::StoredType weights;
  ScheduleOptions options;
  CollectiveChoice collectives;
  MachineOptions machine;  ///< its type of sums, loop order and sweeps are those of `options`
  std::uint64_t seed = 1;
};

/// How far the outputs are from double precision.
struct KernelError {
  double largest = 0;              ///< of all outputs
  double largest_output = 0;       ///< of the reference
  std::optional<double> of_bound;  ///< largest error as a share of gamma times the magnitudes summed
};

struct KernelRun {
  std::string what;
  CountedSchedule counted;
  std::optional<KernelError> error;
  std::string no_error_because;  ///< where there is no reference
  std::int64_t sram_bytes = 0;   ///< of the busiest PE: what is reserved, what is resident, most buffers alive at once
  std::int64_t host_bytes = 0;   ///< of weights read from host memory
  double host_seconds = 0;
};

/// y = W x with W (rows, cols), for each token of `batch`. Errors: DoesNotFit if a PE's SRAM overflows.
KernelRun run_gemv(const std::string& what, std::int64_t rows, std::int64_t cols, std::int64_t batch,
                   const KernelSetup& setup);

enum class GemmBy : std::uint8_t { tiles, panels };

/// C = A B by rotating tiles (F34) or multicast panels (F35). Errors: ConfigError for tiles on a rectangle that is no
/// square; DoesNotFit.
KernelRun run_gemm(const std::string& what, GemmBy by, const GemmSizes& sizes, const KernelSetup& setup);

/// A layer, or a mixer alone, decodes one token of each sequence. Errors: DoesNotFit; ConfigError for a step or storage
/// type that is not emulated.
KernelRun run_layer(const std::string& what, const SeededLayerSpec& spec, const KernelSetup& setup);

/// Matrices by which a layer multiplies, each once: name, outputs, inputs.
struct LayerMatrix {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};
std::vector<LayerMatrix> matrices_of(const models::Layer& layer, std::int64_t hidden_size);

/// The layer with all matrices stored as `weights`, norms, biases and the like as `vectors`.
models::Layer stored_as(models::Layer layer, const models::StoredType& weights, DType vectors);

/// Blocks of 32 inputs with 16-bit scales for int8 and int4, as the emulator has them; other types without scales.
models::StoredType emulated_type(DType dtype);

/// Whether every step counted what the closed form says.
bool counted_as_closed_form(const CountedSchedule& counted);

}  // namespace waferline::kernels::emulate
