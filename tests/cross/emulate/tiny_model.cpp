// Which question: does the emulated decode of a real model give the tokens, logits and residuals that it must?

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "arch/config_node.hpp"
#include "kernels/emulate/decode.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;

namespace {

std::filesystem::path tiny() {
  return tests::source_dir() / "tests" / "data" / "tiny";
}

const ConfigNode& expected() {
  static const ConfigNode root = read_json_file(tiny() / "expected.json");
  return root;
}

double number(const ConfigNode& node) {
  return node.real() != nullptr ? *node.real() : static_cast<double>(*node.integer());
}

std::vector<double> numbers(const ConfigNode& node) {
  std::vector<double> values;
  for (const ConfigNode& item : *node.array()) values.push_back(number(item));
  return values;
}

std::vector<std::int64_t> integers(const ConfigNode& node) {
  std::vector<std::int64_t> values;
  for (const ConfigNode& item : *node.array()) values.push_back(*item.integer());
  return values;
}

/// A prompt, what must follow, and by how much.
struct Sequence {
  std::string name;
  std::vector<std::int64_t> prompt;
  std::vector<std::int64_t> greedy;
  std::vector<double> margin;
};

std::vector<Sequence> sequences() {
  const auto read = [](const std::string& name, const ConfigNode& node) {
    return Sequence{name, integers(*node.find("prompt_ids")), integers(*node.find("greedy_ids")),
                    numbers(*node.find("margin"))};
  };
  std::vector<Sequence> all{read("first", expected())};
  const ConfigNode& more = *expected().find("more_sequences");
  if (more.object() != nullptr) {
    for (const auto& member : *more.object()) all.push_back(read(member.key, member.value));
  } else {
    for (const auto& item : *more.array()) all.push_back(read(*item.find("name")->string(), item));
  }
  return all;
}

struct Model {
  DecoderSpec spec = read_decoder_spec(tiny() / "config.json");
  std::unique_ptr<WeightSource> weights = open_safetensors(tiny());
};

DecodeOptions options(Extent mesh, DType dtype = DType::fp32) {
  DecodeOptions chosen;
  chosen.mesh = mesh;
  chosen.weights = chosen.activations = dtype;
  chosen.threads = 1;
  return chosen;
}

double largest_difference(const std::vector<float>& values, const std::vector<double>& exact) {
  REQUIRE(values.size() == exact.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double difference = std::abs(values[i] - exact[i]);
    if (!(difference <= largest)) largest = difference;  // a NaN stays
    if (std::isnan(largest)) break;
  }
  return largest;
}

/// Feeds a sequence with its own greedy choices; returns how many agree before the first that does not.
std::size_t agreeing(const Model& model, const DecodeOptions& how, const Sequence& sequence) {
  Decoder decoder(model.spec, model.weights.get(), 0, how);
  for (const std::int64_t id : sequence.prompt) decoder.feed(id);
  for (std::size_t i = 0; i < sequence.greedy.size(); ++i) {
    if (decoder.chosen() != sequence.greedy[i]) return i;
    if (i + 1 < sequence.greedy.size()) decoder.feed(sequence.greedy[i]);
  }
  return sequence.greedy.size();
}

}  // namespace

TEST_CASE("all 1,567 greedy ids come out in fp32 on 1 x 1, 8 x 8 and 5 x 7") {
  const Model model;
  for (const Extent mesh : {Extent{1, 1}, Extent{8, 8}, Extent{5, 7}}) {
    std::size_t total = 0;
    for (const Sequence& sequence : sequences()) {
      INFO(sequence.name << " on " << mesh.rows << " x " << mesh.cols);
      const std::size_t agreed = agreeing(model, options(mesh), sequence);
      CHECK(agreed == sequence.greedy.size());
      total += agreed;
    }
    CHECK(total == 1567);
  }
}

TEST_CASE("logits of the first four positions are within 5e-5, residuals after every layer within 5e-5") {
  const Model model;
  for (const Extent mesh : {Extent{1, 1}, Extent{8, 8}, Extent{5, 7}, Extent{16, 16}, Extent{3, 64}}) {
    Decoder decoder(model.spec, model.weights.get(), 0, options(mesh));
    const auto ids = integers(*expected().find("logits_input_ids"));
    double logits = 0;
    double residual = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      logits =
          std::max(logits, largest_difference(decoder.feed(ids[i]), numbers((*expected().find("logits")->array())[i])));
      const ConfigNode::Array& layers = *(*expected().find("residual")->array())[i].array();
      REQUIRE(layers.size() == decoder.residuals().size());
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        residual = std::max(residual, largest_difference(decoder.residuals()[layer], numbers(layers[layer])));
      }
    }
    INFO(mesh.rows << " x " << mesh.cols);
    CHECK(logits < 5e-5);
    CHECK(residual < 5e-5);
  }
}

TEST_CASE("logits at positions 127, 255 and 510 are within 1e-4, and a wrong epsilon or one lost cache row is seen") {
  const Model model;
  const std::vector<Sequence> all = sequences();
  const Sequence& lily = *std::find_if(all.begin(), all.end(), [](const Sequence& s) { return s.name == "lily_ben"; });
  std::vector<std::int64_t> ids = lily.prompt;
  ids.insert(ids.end(), lily.greedy.begin(), lily.greedy.end());
  const ConfigNode::Array& late = *expected().find("late_logits")->find("logits")->array();
  const std::vector<std::size_t> positions{127, 255, 510};
  Decoder right(model.spec, model.weights.get(), 0, options({5, 7}));
  DecoderSpec wrong_spec = model.spec;
  wrong_spec.rms_norm_eps = 1e-6;
  Decoder wrong_epsilon(wrong_spec, model.weights.get(), 0, options({5, 7}));
  Decoder lost_row(model.spec, model.weights.get(), 0, options({5, 7}));
  std::size_t next = 0;
  for (std::size_t position = 0; position <= 510; ++position) {
    const auto& logits = right.feed(ids[position]);
    if (position <= 127) {
      const auto& other = wrong_epsilon.feed(ids[position]);
      const auto& third = lost_row.feed(ids[position]);
      if (position == 127) {
        CHECK(largest_difference(other, numbers(late[0])) > 8e-5);
        CHECK(largest_difference(third, numbers(late[0])) > 1e-3);
      }
      if (position == 60) std::fill_n(lost_row.values(2).entry(2, 0), lost_row.values(2).width(), 0.0F);
    }
    if (next < positions.size() && position == positions[next]) {
      INFO("position " << position);
      CHECK(largest_difference(logits, numbers(late[next])) < 1e-4);
      ++next;
    }
  }
}

TEST_CASE("in fp16 and bf16 the expected ids, fed in, are the arg-max wherever the margin exceeds 0.1") {
  const Model model;
  struct Case {
    DType dtype;
    DType accumulate;
  };
  for (const Case& c :
       {Case{DType::fp16, DType::fp16}, Case{DType::fp16, DType::fp32}, Case{DType::bf16, DType::fp32}}) {
    DecodeOptions how = options({8, 8}, c.dtype);
    how.accumulate = c.accumulate;
    if (c.dtype == DType::bf16) how.activations = DType::fp32;
    int compared = 0;
    int wrong = 0;
    for (const Sequence& sequence : sequences()) {
      Decoder decoder(model.spec, model.weights.get(), 0, how);
      for (const std::int64_t id : sequence.prompt) decoder.feed(id);
      for (std::size_t i = 0; i < sequence.greedy.size(); ++i) {
        if (sequence.margin[i] > 0.1) {
          ++compared;
          if (decoder.chosen() != sequence.greedy[i]) ++wrong;
        }
        if (i + 1 < sequence.greedy.size()) decoder.feed(sequence.greedy[i]);
      }
    }
    INFO(name(c.dtype) << " weights, " << name(c.accumulate) << " accumulation");
    CHECK(compared == 1513);
    CHECK(wrong == 0);
  }
}
