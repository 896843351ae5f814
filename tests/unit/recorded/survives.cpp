#include "traces/run/survives.hpp"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/catch.hpp"

using waferline::traces::survives;

TEST_CASE("what returns or throws survives, and changes nothing here") {
  int here = 0;
  CHECK(survives([&] { here = 1; }));
  CHECK(survives([] { throw std::runtime_error("a refusal"); }));
  CHECK(here == 0);
}

TEST_CASE("what crashes or ends the process does not survive") {
  CHECK_FALSE(survives([] {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }));
  CHECK_FALSE(survives([] {
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  }));
  CHECK_FALSE(survives([] { std::_Exit(3); }));
}
