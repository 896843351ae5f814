// Which question: does the emulator, which moved the data, count what the closed form says, integer by integer?

#include "kernels/emulate/counters.hpp"

#include <cmath>
#include <string>

#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

TEST_CASE("200 random layers on 1 x 1 to 16 x 16: every step counts what the closed form says") {
  std::mt19937 random(2024);
  for (int round = 0; round < 200; ++round) {
    const LayerCase chosen = random_layer(random, 16, 16);
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    INFO("case " << round << ": " << shown(chosen));
    check_counters(run);
  }
}

TEST_CASE("large rectangles: every step counts what the closed form says") {
  std::mt19937 random(77);
  for (const Extent mesh : {Extent{64, 96}, Extent{127, 33}, Extent{200, 200}}) {
    LayerCase chosen = random_layer(random, 1, 1);
    chosen.mesh = mesh;
    chosen.hidden_size = 700;
    chosen.pass.context_tokens = 300;
    LayerRun run(chosen, 5, {});
    run.run();
    INFO("mesh " << mesh.rows << " x " << mesh.cols);
    check_counters(run);
  }
}

TEST_CASE("outputs and counters have the same bits for 1, 2, 4 and 16 threads and on every instruction set") {
  std::mt19937 random(31);
  for (int round = 0; round < 6; ++round) {
    LayerCase chosen = random_layer(random, 12, 12);
    chosen.hidden_size = 700;  // large enough for its products to be shared out
    chosen.layer.ffns[0].width = chosen.layer.ffns[0].expert_width = 600;
    chosen.pass.context_tokens = 300;
    LayerRun one(chosen, 9, {});
    one.run();
    for (const int threads : {2, 4, 16}) {
      for (const auto set :
           {simd::InstructionSet::portable, simd::InstructionSet::avx2, simd::InstructionSet::avx512}) {
        if (!simd::supported(set)) continue;
        MachineOptions options;
        options.threads = threads;
        options.set = set;
        LayerRun many(chosen, 9, options);
        many.run();
        CHECK(many.output() == one.output());
        CHECK(many.machine().counters() == one.machine().counters());
      }
    }
  }
}

TEST_CASE("a PE with exactly the SRAM that a layer needs holds it, and with one byte less does not") {
  std::mt19937 random(3);
  const LayerCase chosen = random_layer(random, 6, 6);
  LayerRun run(chosen, 1, {});
  MachineOptions options;
  options.sram_bytes_per_pe = run.machine().resident_bytes() + run.machine().peak_buffer_bytes();
  CHECK_NOTHROW(LayerRun(chosen, 1, options));
  --options.sram_bytes_per_pe;
  CHECK_THROWS_WITH(LayerRun(chosen, 1, options),
                    Catch::Contains("PE (0, 0): step ") && Catch::Contains(" bytes of SRAM needed"));
}
