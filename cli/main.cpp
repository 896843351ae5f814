#include "cli/run.hpp"
#include "cli/terminal.hpp"

int main(int argc, char** argv) {
  waferline::cli::prepare_standard_streams();
  // argc is 0 if the caller passes an empty argument list.
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return waferline::cli::run(arguments);
}
