// Bytes in SRAM, wavelets, and how long buffers live.
#include "kernels/count.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernel_layers.hpp"

namespace waferline {
namespace {

using kernels::Schedule;
using kernels::Step;
using models::StoredType;

TEST_CASE("a block of weights takes its packed elements, rounded up to whole bytes") {
  CHECK(kernels::stored_bytes({DType::fp16, 0, 0, 0, 0}, 3, 5) == Bytes{30});
  CHECK(kernels::stored_bytes({DType::int4, 0, 0, 0, 0}, 3, 5) == Bytes{8});
  CHECK(kernels::stored_bytes({DType::fp16, 0, 0, 0, 0}, 0, 5) == Bytes{0});
}

TEST_CASE("scales are set aside for the worst alignment of a block") {
  const StoredType mx{DType::mxfp4, 1, 32, 8, 0};
  // One column needs one scale a row; 33 columns can touch 2 blocks, 34 can touch 3.
  CHECK(kernels::stored_bytes(mx, 4, 1) == Bytes{2 + 4});
  CHECK(kernels::stored_bytes(mx, 4, 33) == Bytes{66 + 8});
  CHECK(kernels::stored_bytes(mx, 4, 34) == Bytes{68 + 12});
  const StoredType rows{DType::int8, 1, StoredType::kWholeRow, 16, 0};
  CHECK(kernels::stored_bytes(rows, 4, 100) == Bytes{400 + 8});
  const StoredType tensor{DType::fp8_e4m3, 0, 0, 0, 1};
  CHECK(kernels::stored_bytes(tensor, 4, 100) == Bytes{404});
}

TEST_CASE("a wavelet carries 32 bits") {
  CHECK(kernels::wavelets(DType::fp32, 5) == 5);
  CHECK(kernels::wavelets(DType::fp16, 5) == 3);
  CHECK(kernels::wavelets(DType::int8, 5) == 2);
  CHECK(kernels::wavelets(DType::fp16, 0) == 0);
}

TEST_CASE("a buffer takes SRAM from the step that first touches it to the one that last does") {
  Schedule schedule;
  for (const std::int64_t bytes : {100, 10, 1}) {
    kernels::Tensor tensor;
    tensor.bytes_per_pe = bytes;
    schedule.tensors.push_back(tensor);
  }
  const auto touch = [&](kernels::TensorId input, kernels::TensorId output) {
    Step step;
    step.input = input;
    step.output = output;
    schedule.steps.push_back(step);
  };
  touch(0, 1);
  touch(1, 2);
  touch(2, 2);
  const std::vector<Bytes> alive = kernels::buffer_bytes_by_step(schedule);
  CHECK(alive == std::vector<Bytes>{Bytes{110}, Bytes{11}, Bytes{1}});
  CHECK(kernels::sram(schedule).buffers == Bytes{110});
  schedule.tensors[0].use = kernels::SramUse::borrowed;
  CHECK(kernels::sram(schedule).total() == Bytes{11});
}

TEST_CASE("rates of a wafer and a profile come from their files") {
  const Wafer wafer = load_wafer("wse2");
  const SoftwareProfile software = load_software("waferllm");
  const kernels::Rates rates = kernels::rates_of(wafer, software);
  CHECK(rates.read_bytes_per_cycle == wafer.pe.sram_read.value.value);
  CHECK(rates.vector_instruction_cycles == software.vector_instruction_overhead.value.value);
  CHECK(rates.collective.ramp_cycles == wafer.fabric.ramp.value.value);
  CHECK(rates.payload_hidden == (software.payload.value == PayloadCost::hidden));
  CHECK(kernels::choice_of(wafer, software).levels == software.tree_levels.value);
  CHECK(kernels::options_of(software).accumulate == software.accumulate.value);
}

}  // namespace
}  // namespace waferline
