#include "cli/emulate_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "arch/error.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "cli/argument_text.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "kernels/emulate/decode.hpp"
#include "kernels/emulate/gguf_source.hpp"
#include "kernels/rates.hpp"
#include "models/library.hpp"
#include "report/emulation.hpp"
#include "report/number.hpp"

namespace waferline::cli {
namespace {

namespace fs = std::filesystem;
using namespace kernels;
using namespace kernels::emulate;

std::int64_t parse_whole(const char* flag, std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
    throw ConfigError(fmt::format("{}: {} (permitted: whole numbers from {} to {})", flag,
                                  shown_argument(std::string(text)), low, high));
  }
  return value;
}

std::vector<std::int64_t> parse_ids(const std::string& text) {
  std::vector<std::int64_t> ids;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    ids.push_back(parse_whole("--prompt-ids", rest.substr(0, comma), 0, std::int64_t{1} << 24));
    if (comma == std::string_view::npos) return ids;
    rest.remove_prefix(comma + 1);
  }
}

struct Loaded {
  DecoderSpec spec;
  std::unique_ptr<WeightSource> weights;  ///< null: seeded
};

Loaded load(const EmulateModelRequest& request) {
  if (request.weights && request.model)
    throw ConfigError("--model: given together with --weights (one of them says what to run)");
  if (request.model) {
    const fs::path given = *request.model;
    const bool is_file = fs::exists(given);
    const fs::path config = !is_file                  ? models::library_entry(*request.model).config
                            : fs::is_directory(given) ? given / "config.json"
                                                      : given;
    return {read_decoder_spec(config), nullptr};
  }
  if (!request.weights)
    throw ConfigError(
        "--weights: is missing (a folder with config.json and *.safetensors, or a file; or --model NAME for seeded "
        "weights)");
  const fs::path path = *request.weights;
  if (!fs::exists(path))
    throw ConfigError(fmt::format("--weights: {}: no such file or folder", shown_argument(path.string())));
  if (path.extension() == ".gguf") {
    GgufModel gguf = open_gguf(path);
    return {std::move(gguf.spec), std::move(gguf.weights)};
  }
  const fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  return {read_decoder_spec(folder / "config.json"), open_safetensors(path)};
}

double cycles_of(const std::vector<CountedSchedule>& pass, const Rates& rates) {
  double cycles = 0;
  for (const CountedSchedule& part : pass) {
    for (std::size_t i = 0; i < part.counters.size(); ++i) {
      cycles += static_cast<double>(part.times) *
                time(with_counted(part.schedule.steps[i], part.counters[i]), rates).total().value;
    }
  }
  return cycles;
}

/// One decode under way.
class Session {
 public:
  Session(const EmulateModelRequest& request, Progress& progress)
      : request_(request),
        wafer_(load_wafer(request.system)),
        software_(load_software(request.software)),
        rates_(rates_of(wafer_, software_)),
        loaded_(load(request)) {
    progress.say("loading weights");
    options_.mesh = parse_mesh(request.mesh);
    options_.weights = *dtype_from_name(request.dtype);
    const bool wide = options_.weights == DType::fp32 || options_.weights == DType::bf16;
    const DType usual = wide ? DType::fp32 : software_.accumulate.value;
    options_.accumulate = request.accumulate ? parse_sum_type("--accumulate", *request.accumulate) : usual;
    options_.activations = options_.accumulate;
    const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    options_.threads = static_cast<int>(request.threads.value_or(processors));
    options_.layers = request.layers.value_or(0);
    options_.sram_bytes_per_pe = request.sram_bytes.value_or(wafer_.pe.sram.value.value);
    options_.reserved_bytes = (software_.code.value + software_.system.value).value;
    options_.collectives = choice_of(wafer_, software_);
    options_.software = options_of(software_);
    recorder_ = make_recorder(request.recording, rates_, origin());
    options_.recorder = recorder_.get();
    decoder_ = std::make_unique<Decoder>(loaded_.spec, loaded_.weights.get(), static_cast<std::uint64_t>(request.seed),
                                         options_);
  }

  report::EmulatedDecode run(Progress& progress) {
    report::EmulatedDecode result = describe();
    progress.say("prompt");
    const auto start = std::chrono::steady_clock::now();
    std::int64_t passes = 0;
    for (const std::int64_t id : result.prompt) {
      decoder_->feed(id);
      ++passes;
    }
    result.stopped_by = "tokens";
    progress.say("decoding");
    while (static_cast<std::int64_t>(result.tokens.size()) < request_.tokens) {
      const std::int64_t token = decoder_->chosen();
      result.tokens.push_back(token);
      result.cycles_per_token.push_back(cycles_of(decoder_->last_pass(), rates_));
      show(token, result.cycles_per_token.back());
      if (std::find(stops_.begin(), stops_.end(), token) != stops_.end()) {
        result.stopped_by = "stop_token";
        break;
      }
      if (decoder_->position() >= loaded_.spec.max_position_embeddings) {
        result.stopped_by = "context";
        break;
      }
      if (static_cast<std::int64_t>(result.tokens.size()) == request_.tokens) break;
      decoder_->feed(token);
      ++passes;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (recorder_) {
      progress.say("writing the trace");
      recorder_->finish();
    }
    result.host_seconds = spent.count();
    result.host_gb_per_s = static_cast<double>(passes * decoder_->weight_bytes()) / spent.count() * 1e-9;
    result.counted = report::counted_totals(decoder_->last_pass());
    result.closed_form = report::closed_form_totals(decoder_->last_pass());
    result.layer_sram_bytes = decoder_->layer_sram_bytes();
    return result;
  }

  /// Files of the trace that could not be written.
  std::vector<std::string> unwritten() const { return recorder_ ? recorder_->problems() : std::vector<std::string>(); }

 private:
  /// What the run depends on; not its threads.
  traces::TraceOrigin origin() const {
    traces::TraceOrigin origin;
    origin.system = wafer_.name;
    origin.software = software_.name;
    origin.seed = request_.seed;
    origin.clock = wafer_.clock.value;
    origin.inputs = {{"what", "model"},
                     {request_.weights ? "weights" : "model", request_.weights.value_or(request_.model.value_or(""))},
                     {"prompt_ids", request_.prompt_ids.value_or("bos_token_id")},
                     {"tokens", fmt::format("{}", request_.tokens)},
                     {"mesh", request_.mesh},
                     {"weight_type", std::string(name(options_.weights))},
                     {"vector_type", std::string(name(options_.activations))},
                     {"accumulate", std::string(name(options_.accumulate))},
                     {"layers", request_.layers ? fmt::format("{}", *request_.layers) : "all"}};
    return origin;
  }

  report::EmulatedDecode describe() {
    report::EmulatedDecode result;
    const DecoderSpec& spec = loaded_.spec;
    if (request_.prompt_ids) {
      result.prompt = parse_ids(*request_.prompt_ids);
    } else if (spec.bos_token_id) {
      result.prompt = {*spec.bos_token_id};
    } else {
      throw ConfigError("--prompt-ids: is missing, and the model names no bos_token_id");
    }
    if (request_.stop_token) stops_ = {*request_.stop_token};
    if (!request_.stop_token && loaded_.weights) stops_ = spec.eos_token_ids;
    result.system = wafer_.name;
    result.software = software_.name;
    result.dtype = fmt::format("{} weights, {} vectors, {} accumulation", name(options_.weights),
                               name(options_.activations), name(options_.accumulate));
    result.mesh = options_.mesh;
    result.layers_of_model = spec.num_hidden_layers;
    result.layers = options_.layers == 0 ? spec.num_hidden_layers : std::min(options_.layers, spec.num_hidden_layers);
    result.sram_bytes_per_pe = request_.sram_bytes.value_or(wafer_.pe.sram.value.value);
    result.weight_bytes = decoder_->weight_bytes();
    result.threads = options_.threads;
    return result;
  }

  void show(std::int64_t token, double cycles) const {
    const std::string line = fmt::format("token {:>7}  {:>12} cycles  {}\n", token, report::whole(cycles),
                                         report::seconds_text(Cycles{cycles} / wafer_.clock.value));
    if (request_.tokens_to_stdout) write_standard_output(line);
  }

  const EmulateModelRequest& request_;
  Wafer wafer_;
  SoftwareProfile software_;
  Rates rates_;
  Loaded loaded_;
  DecodeOptions options_;
  std::unique_ptr<traces::RunRecorder> recorder_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<std::int64_t> stops_;
};

}  // namespace

DType parse_sum_type(const char* flag, const std::string& text) {
  const auto dtype = dtype_from_name(text);
  if (dtype != DType::fp32 && dtype != DType::fp16)
    throw ConfigError(fmt::format("{}: {} (permitted: fp32, fp16)", flag, shown_argument(text)));
  return *dtype;
}

Extent parse_mesh(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x == std::string::npos)
    throw ConfigError(fmt::format("--mesh: {} (permitted: ROWSxCOLS, such as 8x8)", shown_argument(text)));
  constexpr std::int64_t kMostPes = 2000;
  return {parse_whole("--mesh", std::string_view(text).substr(0, x), 1, kMostPes),
          parse_whole("--mesh", std::string_view(text).substr(x + 1), 1, kMostPes)};
}

Answer emulate_model(const EmulateModelRequest& request, const report::Page& page, Progress& progress) {
  Session session(request, progress);
  const report::EmulatedDecode result = session.run(progress);
  Answer answer{report::emulation_text(result, page), [result] { return report::emulation_json(result); }};
  answer.problems = session.unwritten();
  return answer;
}

}  // namespace waferline::cli
