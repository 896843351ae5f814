#include "kernels/fabric/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arch/error.hpp"

namespace waferline::kernels::fabric {
namespace {

using Kind = Operation::Kind;

bool receives(Kind kind) {
  return kind == Kind::combine || kind == Kind::store || kind == Kind::forward || kind == Kind::relay;
}
bool sends(Kind kind) {
  return kind == Kind::send || kind == Kind::forward || kind == Kind::relay;
}

/// One input of a router in one color: where its wavelets wait, and where they go.
struct Channel {
  Slots slots;
  std::vector<const Route*> routes;
};

/// Inputs in order of priority: color, then the PE before the links.
struct ChannelKey {
  int color;
  int order;  // 0: from the PE
  std::uint8_t port;
  auto operator<=>(const ChannelKey&) const = default;
};

struct PlannedCell {
  std::map<ChannelKey, Channel> inputs;
  std::map<int, Slots> to_pe;  // by color
};

[[noreturn]] void refuse(std::size_t position, int color, const char* problem) {
  throw ConfigError(fmt::format("fabric program: position {}: color {}: {}", position, color, problem));
}

}  // namespace

class LayoutBuilder {
 public:
  explicit LayoutBuilder(FabricLayout& layout)
      : layout_(layout), program_(*layout.program_), cells_(program_.cells.size()) {}

  void run() {
    layout_.positions_.resize(cells_.size());
    for (std::size_t position = 0; position < cells_.size(); ++position) place(position);
    for (std::size_t position = 0; position < cells_.size(); ++position) link(position);
  }

 private:
  Slots slots(std::int64_t count) {
    const Slots made{{layout_.words_, layout_.masks_}, static_cast<std::uint32_t>(count)};
    layout_.words_ += made.count;
    layout_.masks_ += made.count;
    return made;
  }

  /// Cycles from an operation to the router: the ramp, and one for issuing or a stage for combining.
  std::int64_t ramp_slots(std::size_t position, int color) {
    std::int64_t most = 0;
    for (const PeProgram& program : program_.cells[position].programs) {
      for (const Operation& operation : program.operations) {
        if (operation.out != color) continue;
        const std::int64_t slots = program_.timing.ramp + (operation.kind == Kind::send ? 1 : program_.timing.stage);
        if (most != 0 && most != slots) refuse(position, color, "sent by operations of different latency");
        most = slots;
      }
    }
    if (most == 0) refuse(position, color, "a route takes it from the PE, but no operation sends it");
    return most;
  }

  void place_input(std::size_t position, const Route& route, std::uint8_t port) {
    if (route.color < 0 || route.color >= kColors) refuse(position, route.color, "no such color (permitted: 0 to 23)");
    Channel& channel = cells_[position].inputs[{route.color, port == kRamp ? 0 : 1, port}];
    if (channel.routes.empty()) {
      channel.slots = slots(port == kRamp ? ramp_slots(position, route.color) : 2 * program_.timing.hop);
    }
    for (const Route* other : channel.routes) {
      if (route.lines.begin < other->lines.end && other->lines.begin < route.lines.end) {
        refuse(position, route.color, "two routes for one input");
      }
    }
    channel.routes.push_back(&route);
  }

  void place(std::size_t position) {
    PositionCode& code = layout_.positions_[position];
    code.masks.begin = layout_.masks_;
    PlannedCell& cell = cells_[position];
    for (const Route& route : program_.cells[position].routes) {
      for (const std::uint8_t port : {kFront, kBack, kFormerLine, kRamp}) {
        if ((route.from & port) != 0) place_input(position, route, port);
      }
      if ((route.from & kNextLine) != 0) refuse(position, route.color, "wavelets run to higher lines only");
      if ((route.to & kNextLine) != 0) layout_.crosses_lines_ = true;
      if ((route.to & kRamp) != 0 && !cell.to_pe.contains(route.color))
        cell.to_pe[route.color] = slots(program_.timing.ramp);
    }
    code.masks.end = layout_.masks_;
    place_tables(position, code);
  }

  void place_tables(std::size_t position, PositionCode& code) {
    const PlannedCell& cell = cells_[position];
    const auto rows = [](auto& table, auto&& fill) {
      const auto begin = static_cast<std::uint32_t>(table.size());
      fill();
      return Rows{begin, static_cast<std::uint32_t>(table.size())};
    };
    const auto inputs = [&](auto& table, auto&& wanted) {
      return rows(table, [&] {
        for (const auto& [key, channel] : cell.inputs) {
          if (wanted(key.port)) table.push_back(channel.slots);
        }
      });
    };
    code.queues_back = inputs(layout_.queues_, [](std::uint8_t port) { return port == kFront; });
    code.queues_front = inputs(layout_.queues_, [](std::uint8_t port) { return port == kBack || port == kFormerLine; });
    code.to_router = inputs(layout_.pipes_, [](std::uint8_t port) { return port == kRamp; });
    code.to_pe = rows(layout_.pipes_, [&] {
      for (const auto& [color, pipe] : cell.to_pe) layout_.pipes_.push_back(pipe);
    });
    code.operations = rows(layout_.operations_, [&] { place_operations(position); });
  }

  void place_operations(std::size_t position) {
    PlannedCell& cell = cells_[position];
    for (const PeProgram& program : program_.cells[position].programs) {
      for (const Operation& operation : program.operations) {
        OperationCode code;
        code.operation = operation;
        code.lines = program.lines;
        code.receives = receives(operation.kind);
        code.sends = sends(operation.kind);
        code.last = &operation == &program.operations.back();
        if (operation.kind == Kind::relay) layout_.relays_ = true;
        if (code.receives) {
          if (!cell.to_pe.contains(operation.in))
            refuse(position, operation.in, "received by an operation, but no route leads to the PE");
          code.in = cell.to_pe[operation.in].last();
        }
        if (code.sends) {
          const auto found = cell.inputs.find({operation.out, 0, kRamp});
          if (found == cell.inputs.end())
            refuse(position, operation.out, "sent by an operation, but no route takes it");
          code.out = found->second.slots.first;
        }
        layout_.operations_.push_back(code);
      }
    }
  }

  /// The tail slot of the queue at the other end of a link.
  Target link_target(std::size_t position, int color, Output output) {
    static constexpr std::array<std::uint8_t, 3> kArrivesFrom = {kBack, kFront, kFormerLine};
    const std::size_t there = output == Output::front ? position + 1 : output == Output::back ? position - 1 : position;
    if (there >= cells_.size()) refuse(position, color, "a route leaves the rectangle");
    const auto found = cells_[there].inputs.find({color, 1, kArrivesFrom[static_cast<std::size_t>(output)]});
    if (found == cells_[there].inputs.end()) refuse(position, color, "sent over a link at whose end no route takes it");
    Target target;
    target.slot = found->second.slots.at(1);
    target.position = static_cast<std::uint32_t>(there);
    target.output = output;
    return target;
  }

  void add_targets(std::size_t position, int color, const Route& route) {
    static constexpr std::array<std::pair<std::uint8_t, Output>, 3> kLinks = {
        std::pair{std::uint8_t{kFront}, Output::front}, std::pair{std::uint8_t{kBack}, Output::back},
        std::pair{std::uint8_t{kNextLine}, Output::next_line}};
    const auto add = [&](Target target) {
      target.lines = route.lines;
      target.all_lines = route.lines == Lines{};
      layout_.targets_.push_back(target);
    };
    for (const auto& [port, output] : kLinks) {
      if ((route.to & port) != 0) add(link_target(position, color, output));
    }
    if ((route.to & kRamp) != 0) {
      Target target;
      target.slot = cells_[position].to_pe[color].first;
      target.position = static_cast<std::uint32_t>(position);
      add(target);
    }
  }

  /// Sources of a position; those that reach the PE come last in a cycle, so they may not go before another on a link.
  void link(std::size_t position) {
    PositionCode& code = layout_.positions_[position];
    std::uint8_t links_after_arriving = kNoPort;
    for (const bool arriving : {false, true}) {
      Rows& rows = arriving ? code.arriving : code.passing;
      rows.begin = static_cast<std::uint32_t>(layout_.sources_.size());
      for (const auto& [key, channel] : cells_[position].inputs) {
        std::uint8_t to = kNoPort;
        for (const Route* route : channel.routes) to |= route->to;
        const bool reaches_pe = (to & kRamp) != 0;
        if (reaches_pe && key.port == kRamp) refuse(position, key.color, "a route from the PE back to itself");
        if (!arriving && reaches_pe) links_after_arriving |= to;
        if (!arriving && !reaches_pe && (to & links_after_arriving) != 0) {
          refuse(position, key.color, "a lower color goes to the PE and to the same link");
        }
        if (reaches_pe != arriving) continue;
        Source source;
        source.head = key.port == kRamp ? channel.slots.last() : channel.slots.at(channel.slots.count - 2);
        source.color = key.color;
        source.first_target = static_cast<std::uint32_t>(layout_.targets_.size());
        for (const Route* route : channel.routes) add_targets(position, key.color, *route);
        source.targets = static_cast<std::uint32_t>(layout_.targets_.size()) - source.first_target;
        layout_.sources_.push_back(source);
      }
      rows.end = static_cast<std::uint32_t>(layout_.sources_.size());
    }
  }

  FabricLayout& layout_;
  const FabricProgram& program_;
  std::vector<PlannedCell> cells_;
};

FabricLayout::FabricLayout(const FabricProgram& program) : program_(&program) {
  LayoutBuilder(*this).run();
}

}  // namespace waferline::kernels::fabric
