#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app{"Waferline: decode speed of language models on wafer-scale hardware"};
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
