#pragma once
// What the routers and PEs of a rectangle are loaded with: static routes and short programs.
//
// The rectangle is seen as parallel lines. Position p runs along a line, `front` is towards higher positions, `back`
// towards lower ones. All lines have the same routes and programs unless a range of lines is given, so the tables grow
// with the length of a line and not with the number of PEs.

#include <cstdint>
#include <vector>

#include "kernels/collective.hpp"

namespace waferline::kernels::fabric {

/// Cycles of the fabric, all integers. A wavelet sent in cycle t is combined d hops away in cycle t + 2 ramp + d hop +
/// stage.
struct FabricTiming {
  int hop = 1;          ///< at least 1
  int ramp = 2;         ///< at least 1
  int stage = 1;        ///< from taking a wavelet to having its sum, at least 1
  int task_switch = 0;  ///< between two operations of a PE
  int startup = 0;      ///< once, before the first wavelet

  /// The same as rates of the closed forms.
  CollectiveRates rates() const;
};

inline constexpr int kColors = 24;

/// Directions of a router as a bit set.
enum Ports : std::uint8_t {
  kNoPort = 0,
  kFront = 1,       ///< position + 1 of the same line
  kBack = 2,        ///< position - 1 of the same line
  kNextLine = 4,    ///< same position of the next line (outputs only)
  kFormerLine = 8,  ///< same position of the line before (inputs only)
  kRamp = 16        ///< the router's own PE
};

/// Lines [begin, end).
struct Lines {
  std::int64_t begin = 0;
  std::int64_t end = INT64_MAX;
  bool operator==(const Lines&) const = default;
};

/// A color's static route at one router: whatever comes in from one of `from` goes out to all of `to`, at once.
/// Of two wavelets for one output the lower color goes first, then the one that comes from the PE.
struct Route {
  int color = 0;
  std::uint8_t from = kNoPort;
  std::uint8_t to = kNoPort;
  Lines lines;
};

/// One operation of a PE on its vector in SRAM: at most one wavelet a cycle in and one out.
struct Operation {
  enum class Kind : std::uint8_t {
    wait,     ///< `words` cycles
    send,     ///< vector -> fabric
    combine,  ///< vector (+) fabric -> vector
    store,    ///< fabric -> vector
    forward,  ///< vector (+) fabric -> fabric
    relay     ///< ring: sends its own chunk and then what it has received; combines at first, stores later
  };
  Kind kind = Kind::wait;
  int in = -1;                 ///< color
  int out = -1;                ///< color
  std::int32_t words = 0;      ///< wavelets (received ones of a relay), or cycles
  std::int32_t start = 0;      ///< address of the first word (of the first one received by a relay)
  std::int32_t modulus = 0;    ///< addresses wrap here; 0: they do not
  std::int32_t own_words = 0;  ///< relay: words of its own chunk, which lies before `start`
  std::int32_t combined = 0;   ///< relay: how many of the received words are combined
};

/// The operations of the PEs of some lines at one position, one after the other.
struct PeProgram {
  Lines lines;
  std::vector<Operation> operations;
};

struct Cell {
  std::vector<Route> routes;
  std::vector<PeProgram> programs;
};

enum class Combine : std::uint8_t { sum, max };

/// A rectangle's routes and programs, one cell for each position of a line.
struct FabricProgram {
  std::int64_t lines = 1;
  std::int32_t words = 0;  ///< of each PE's vector in SRAM
  Combine combine = Combine::sum;
  FabricTiming timing;
  std::vector<Cell> cells;

  std::int64_t positions() const { return static_cast<std::int64_t>(cells.size()); }
};

}  // namespace waferline::kernels::fabric
