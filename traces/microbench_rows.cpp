#include "traces/microbench_rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "arch/error.hpp"
#include "traces/csv.hpp"

namespace waferline::traces {
namespace {

using kernels::Banks;
using kernels::LoopKernel;
using kernels::Timed;

constexpr IntegerRange sizes{1, 1'000'000'000};
constexpr RealRange cycle_range{1e-3, 1e15};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The whole number after `key` in text such as "N=16 K=16 calls=64".
std::optional<std::int64_t> parameter(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != ' ') continue;
    std::int64_t value = 0;
    const char* first = text.data() + at + key.size();
    if (std::from_chars(first, text.data() + text.size(), value).ec == std::errc{} && value > 0) return value;
  }
  return std::nullopt;
}

std::string_view text_or_none(const CsvTable& table, const CsvRow& row, std::string_view column) {
  return table.has_column(column) ? row.text(column) : std::string_view{};
}

MicrobenchRow common(const CsvRow& row) {
  return {std::string(row.text("id")), row.real("value", cycle_range)};
}

class Reader {
 public:
  explicit Reader(const CsvTable& table) : table_(table) {}

  void add(const CsvRow& row) {
    const std::string_view group = row.text("group");
    if (group == "reduce") {
      reduction(row);
    } else if (group == "pe_vector") {
      instruction(row);
    } else if (group == "pe_loop") {
      loop(row);
    } else if (group == "fabric_stream") {
      rows_.streams.push_back({common(row), row.integer("elements", sizes)});
    }
  }

  MicrobenchRows take() { return std::move(rows_); }

 private:
  void reduction(const CsvRow& row) {
    const std::string_view kernel = row.text("kernel");
    ReduceRow read{common(row), {}, row.integer("pe_grid_w", sizes), row.integer("elements", sizes)};
    const std::int64_t rows = row.integer("pe_grid_h", sizes);
    const auto group = parameter(row.text("params"), "S=");
    if (rows != 1 || !contains(kernel, "reduce 1D")) {
      rows_.unread_reductions.push_back(
          {read.id, fmt::format("no arrangement is known for \"{}\" on {} rows", kernel, rows)});
    } else if (contains(kernel, "two-phase") && group) {
      read.plan = kernels::k_tree_plan(read.pes, {*group, ceil_div(read.pes, *group)}, kernels::Root::end);
      rows_.reductions.push_back(read);
    } else if (contains(kernel, "chain")) {
      read.plan = {kernels::Algorithm::chain, kernels::Root::end, 1, {}};
      rows_.reductions.push_back(read);
    } else {
      rows_.unread_reductions.push_back({read.id, fmt::format("no arrangement is known for \"{}\"", kernel)});
    }
  }

  void instruction(const CsvRow& row) {
    const std::string_view kernel = row.text("kernel");
    const std::int64_t elements = row.integer("elements", sizes);
    if (contains(kernel, "inner-loop iteration")) {
      rows_.loops.push_back({common(row), {LoopKernel::naive_dense, 1, elements, 0, Banks::apart, false}});
      return;
    }
    VectorRow read{common(row), {elements, Banks::apart, 1}, Timed::isolated, true};
    if (contains(row.text("params"), "instruction trace")) {
      read.timed = Timed::trace;
    } else {
      read.stated = variant(row, read);
      if (!read.stated) take_nearest(read);
    }
    rows_.instructions.push_back(read);
  }

  /// Which variant a run was, from the note and the form that fits it; the runs themselves do not record it.
  bool variant(const CsvRow& row, VectorRow& read) const {
    const std::string_view form = text_or_none(table_, row, "my_model_note");
    const std::string_view note = text_or_none(table_, row, "note");
    const bool conflict = contains(note, "bank conflict") || form.starts_with("2n");
    const bool wide = contains(note, "2 elements per cycle") || form.starts_with("n/2");
    const auto added = parameter_after_plus(form);
    const bool with_setup = contains(note, "setup inside") || (added && *added > 20);
    read.instruction.banks = conflict ? Banks::conflict : Banks::apart;
    read.instruction.per_cycle = wide ? 2 : 1;
    read.timed = with_setup ? Timed::with_setup : Timed::isolated;
    return conflict || wide || with_setup || form.starts_with("n+") || contains(note, "different banks");
  }

  static std::optional<int> parameter_after_plus(std::string_view form) {
    const std::size_t plus = form.find('+');
    int value = 0;
    if (plus == std::string_view::npos) return std::nullopt;
    const auto result = std::from_chars(form.data() + plus + 1, form.data() + form.size(), value);
    return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
  }

  static void take_nearest(VectorRow& read) {
    VectorRow best = read;
    double least = HUGE_VAL;
    for (const Banks banks : {Banks::apart, Banks::conflict}) {
      for (const std::int64_t per_cycle : {1, 2}) {
        for (const Timed timed : {Timed::isolated, Timed::with_setup}) {
          VectorRow candidate = read;
          candidate.instruction.banks = banks;
          candidate.instruction.per_cycle = per_cycle;
          candidate.timed = timed;
          const double off = std::abs(kernels::instruction_cycles(candidate.instruction, timed).value - read.cycles);
          if (off < least) best = candidate;
          least = std::min(least, off);
        }
      }
    }
    read = best;
  }

  void loop(const CsvRow& row) {
    const std::string_view kernel = row.text("kernel");
    const std::string_view params = row.text("params");
    LoopRow read{common(row), {}};
    const auto calls = parameter(params, "calls=");
    const auto outputs = parameter(params, "N=");
    const auto inputs = parameter(params, "K=");
    const bool by_column = kernel.starts_with("CSC");
    const bool by_row = kernel.starts_with("CSR");
    const bool coordinates = kernel.starts_with("COO") || kernel.starts_with("ELLPACK");
    if (!calls || !outputs || !inputs || !(by_column || by_row || coordinates || kernel.starts_with("GEMM"))) {
      rows_.unread_pe_rows.push_back({read.id, fmt::format("no loop is known for \"{}\" with \"{}\"", kernel, params)});
      return;
    }
    read.run.calls = *calls;
    read.run.elements = row.integer("elements", sizes);
    read.run.loads_only = contains(kernel, "loads only");
    read.run.kernel = coordinates           ? LoopKernel::coordinates
                      : by_column || by_row ? LoopKernel::compressed
                                            : LoopKernel::dense;
    if (by_column) read.run.lines = ceil_div(*inputs, row.integer("pe_grid_w", sizes));
    if (by_row) read.run.lines = ceil_div(*outputs, row.integer("pe_grid_h", sizes));
    rows_.loops.push_back(read);
  }

  const CsvTable& table_;
  MicrobenchRows rows_;
};

}  // namespace

MicrobenchRows read_microbench_rows(const std::filesystem::path& file) {
  const CsvTable table = read_csv_file(file);
  table.require_columns({"id", "group", "kernel", "pe_grid_w", "pe_grid_h", "elements", "params", "value"});
  Reader reader(table);
  for (std::size_t index = 0; index < table.size(); ++index) reader.add(table.row(index));
  return reader.take();
}

}  // namespace waferline::traces
