#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/inspect.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using models::Inspection;
using models::LayerRow;

struct PartRow {
  const char* name;
  std::int64_t parameters;
};

Lines parameter_table(const Inspection& model, const Page& page) {
  const models::ParameterCounts& counts = model.parameters;
  const PartRow parts[] = {{"decoder", counts.decoder},
                           {"embedding", counts.embedding},
                           {model.tied_embeddings ? "head (is the embedding)" : "head", counts.head},
                           {"multi-token prediction", counts.mtp},
                           {"vision", counts.vision},
                           {"quantisation scales", counts.scales},
                           {"buffers", counts.buffers}};
  Table table({{"parameters"}, {"count", Align::right}, {"share", Align::right}, {""}});
  const auto total = static_cast<double>(counts.total());
  for (const PartRow& part : parts) {
    if (part.parameters == 0) continue;
    const double share = static_cast<double>(part.parameters) / total;
    table.add({part.name, count_text(part.parameters), fmt::format("{:.1f} %", 100 * share),
               bar(share, page.width / 4, page.unicode)});
  }
  table.add({"total", count_text(counts.total())});
  table.add({"read per token", count_text(model.read_per_token),
             fmt::format("{:.1f} %", 100 * static_cast<double>(model.read_per_token) / total)});
  return table.lines(page);
}

std::string context_text(const Inspection& model) {
  return fmt::format("at {} tokens", count_text(model.context_tokens));
}

Lines byte_table(const Inspection& model, const Page& page) {
  Table table({{""}, {"", Align::right}, {"", Align::wrap}});
  table.add({"weights", bytes_text(model.weight_bytes), model.weight_types + "; embedding, decoder, head"});
  table.add({"  read per token", bytes_text(model.weight_bytes_per_token), ""});
  if (model.checkpoint_bytes != model.weight_bytes) {
    table.add({"  whole checkpoint", bytes_text(model.checkpoint_bytes), ""});
  }
  table.add({"KV cache", bytes_text(model.kv.per_token), fmt::format("a token, {}", model.kv_type)});
  table.add({"  " + context_text(model), bytes_text(model.kv.at_context), ""});
  if (model.kv.at_context_without_hybrid_cache != model.kv.at_context) {
    table.add({"  " + context_text(model), bytes_text(model.kv.at_context_without_hybrid_cache),
               "if windows do not save memory"});
  }
  if (model.kv.index_at_context.value > 0) {
    table.add({"  indexer keys " + context_text(model), bytes_text(model.kv.index_at_context), "on top"});
  }
  if (model.kv.state.value > 0) {
    table.add({"recurrent state", bytes_text(model.kv.state), "a sequence, whatever its length"});
  }
  return table.lines(page);
}

/// "0-2, 5", "1-35 by 2": runs of equal stride, longest first come first served.
std::string index_text(const std::vector<std::size_t>& indexes) {
  std::string text;
  for (std::size_t first = 0; first < indexes.size();) {
    std::size_t last = first;
    const std::size_t stride = first + 1 < indexes.size() ? indexes[first + 1] - indexes[first] : 1;
    while (last + 1 < indexes.size() && indexes[last + 1] - indexes[last] == stride) ++last;
    // Two that lie apart are no pattern: the second may begin a longer run.
    if (stride > 1 && last - first < 2) last = first;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", indexes[first]);
    if (last > first) text += fmt::format("-{}", indexes[last]);
    if (last > first && stride > 1) text += fmt::format(" by {}", stride);
    first = last + 1;
  }
  return text;
}

Lines layer_table(const Inspection& model, const Page& page) {
  Table table({{"layers", Align::wrap},
               {"mixer", Align::wrap},
               {"feed-forward", Align::wrap},
               {"parameters", Align::right},
               {"weights", Align::right},
               {"KV/token", Align::right}});
  std::vector<std::pair<const LayerRow*, std::vector<std::size_t>>> groups;
  for (std::size_t i = 0; i < model.per_layer.size(); ++i) {
    const LayerRow& layer = model.per_layer[i];
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return *known.first == layer; });
    if (group == groups.end()) group = groups.insert(groups.end(), {&layer, {}});
    group->second.push_back(i);
  }
  for (const auto& [layer, indexes] : groups) {
    table.add({index_text(indexes), layer->mixer, layer->ffn, parameters_text(layer->parameters),
               bytes_text(layer->weight_bytes), bytes_text(layer->kv_bytes_per_token)});
  }
  Lines lines = table.lines(page);
  append(lines, wrapped("each of these layers; KV/token while a window, if there is one, is not full", page.width, 2));
  return lines;
}

std::string longest_context(const Inspection& model) {
  return model.max_position_embeddings > 0 ? count_text(model.max_position_embeddings) : "not stated";
}

}  // namespace

Lines inspect_text(const Inspection& model, const Page& page) {
  Lines lines{fmt::format("{}: {} parameters, {} of weights", model.name, parameters_text(model.parameters.total()),
                          bytes_text(model.weight_bytes))};
  append(lines, wrapped(fmt::format("family {}, {} layers of hidden size {}, vocabulary {}, longest context {}",
                                    model.family, model.layers, count_text(model.hidden_size),
                                    count_text(model.vocab_size), longest_context(model)),
                        page.width, 2));
  append(lines, wrapped(fmt::format("read from {}", model.source_file), page.width, 2, 2));
  lines.emplace_back();
  append(lines, parameter_table(model, page));
  lines.emplace_back();
  append(lines, byte_table(model, page));
  lines.emplace_back();
  append(lines, layer_table(model, page));
  if (!model.notes.empty()) {
    lines.emplace_back();
    lines.emplace_back("Notes");
    for (const std::string& note : model.notes) append(lines, wrapped("- " + note, page.width, 2, 2));
  }
  return lines;
}

Lines models_text(const std::vector<Inspection>& models, const Page& page) {
  Lines lines{"Models of the library (MODEL)"};
  Table table({{"name"},
               {"params", Align::right},
               {"read", Align::right},
               {"weights", Align::right},
               {"layers", Align::right},
               {"context", Align::right},
               {"KV", Align::right}},
              0);
  for (const Inspection& model : models) {
    table.add({model.name, parameters_text(model.parameters.total()), parameters_text(model.read_per_token),
               bytes_text(model.weight_bytes), count_text(model.layers),
               model.max_position_embeddings > 0 ? count_text(model.max_position_embeddings) : "-",
               bytes_text(model.kv.per_token, 3)});
  }
  append(lines, table.lines(page));
  lines.emplace_back();
  append(lines,
         wrapped("read: parameters that one token reads, head included. weights: bytes as stored. KV: growth of the "
                 "cache for each token once every window is full.",
                 page.width, 2));
  return lines;
}

}  // namespace waferline::report
