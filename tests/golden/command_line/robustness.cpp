// What a hostile shell can do to the program: each line of these tests is a way in which programs have crashed or lied.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace waferline::tests;

namespace {

/// A folder for one test, as $D of its commands.
struct Scratch {
  std::filesystem::path path;
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "waferline-cli-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  ShellResult run(const std::string& command) const { return shell("D='" + path.string() + "'; " + command); }
};

const std::string deadline = "$W deadline --deadline 10s --overhead 1s --answer-tokens 500 --rate a=100";

}  // namespace

TEST_CASE("a reader that goes away is no failure") {
  // The list is longer than a pipe holds, so that the write meets the closed end.
  const ShellResult result = shell(
      "bash -c '$W list gpus --json - 2>&1 | head -c 10 > /dev/null; echo ${PIPESTATUS[0]}; "
      "$W list gpus --json - 2>&1 >/dev/null | cat; $W list models | head -1'");
  CHECK(result.output == "0\nModels of the library (MODEL)\n");
}

TEST_CASE("a standard output that is closed or full is an error, with a message") {
  CHECK(shell("$W --version >&- 2>/dev/null").exit_code == 2);
  CHECK(shell(deadline + " >&- 2>/dev/null").exit_code == 2);
  const ShellResult full = shell("{ " + deadline + " > /dev/full; echo \"exit $?\"; } 2>&1");
  CHECK(full.output == "waferline: standard output: cannot be written: No space left on device\nexit 2\n");
}

TEST_CASE("closed standard streams do not become output files") {
  const Scratch scratch;
  const ShellResult result = scratch.run(deadline + " --json $D/a.json >&- 2>&- <&-; echo \"exit $?\"; cat $D/a.json");
  CHECK(result.output.starts_with("exit 2\n{\n"));
  CHECK(result.output.find("Reasoning that fits") == std::string::npos);
}

TEST_CASE("a document that cannot be written costs no answer and leaves nothing behind") {
  const Scratch scratch;
  // The folder exists when the flag is checked and is full when the file is written.
  const ShellResult full = scratch.run(deadline + " --json /dev/full 2>&1; echo \"exit $?\"");
  CHECK(full.output.find("Reasoning that fits before a deadline of 10 s") == 0);
  CHECK(full.output.ends_with("waferline: --json: /dev/full: cannot be written: No space left on device\nexit 2\n"));
  const ShellResult folder = scratch.run("mkdir $D/f; " + deadline + " --json $D/f 2>&1; echo \"exit $?\"; ls $D");
  CHECK(folder.output.find("is a directory, a file name was expected\nexit 2\nf\n") != std::string::npos);
  CHECK(scratch.run(deadline + " --json $D/no/a.json > /dev/null 2>&1").exit_code == 2);
  CHECK(scratch.run(deadline + " --json ''  > /dev/null 2>&1").exit_code == 2);
}

TEST_CASE("a document replaces the old one whole, and only text goes to standard output beside it") {
  const Scratch scratch;
  const ShellResult result =
      scratch.run("echo old > $D/a.json; " + deadline + " --json $D/a.json | head -1; ls $D; cat $D/a.json");
  CHECK(result.output.starts_with("Reasoning that fits before a deadline of 10 s\na.json\n{\n"));
  CHECK(result.output.find("old\n") == std::string::npos);
}

TEST_CASE("--json - prints the document alone") {
  const ShellResult result = shell(deadline + " --json -");
  REQUIRE(result.exit_code == 0);
  CHECK(nlohmann::json::accept(result.output));
}

TEST_CASE("a model that is a pipe, a device, a directory or absent is refused at once") {
  const Scratch scratch;
  const ShellResult pipe = scratch.run("mkfifo $D/pipe; timeout 20 $W inspect $D/pipe 2>&1; echo \"exit $?\"");
  CHECK(pipe.output.find("is not a regular file") != std::string::npos);
  CHECK(pipe.output.ends_with("exit 2\n"));
  for (const char* model : {"/dev/null", "/dev/zero", "/dev/stdin", "$D", "$D/absent.json", "''", ".", "/", "a/b"}) {
    INFO(model);
    CHECK(scratch.run("timeout 20 $W estimate " + std::string(model) + " > /dev/null 2>&1 < /dev/null").exit_code == 2);
  }
}

TEST_CASE("arguments of any length and any bytes are refused with a short and harmless message") {
  for (const char* argument :
       {"$(head -c 100000 /dev/zero | tr '\\0' x)", "$(printf '\\377\\376\\200')", "$(printf '\\033[2J\\007')",
        "$(printf 'a\\nb')", "'%s%n%d{}{0}'", "--$(head -c 100000 /dev/zero | tr '\\0' y)=1", "-", "--", "---", "-x"}) {
    INFO(argument);
    const ShellResult model = shell(std::string("timeout 20 $W inspect \"") + argument + "\" 2>&1");
    CHECK(model.exit_code == 2);
    CHECK(model.output.size() < 4000);
    CHECK(model.output.find('\033') == std::string::npos);
    CHECK(shell(std::string("timeout 20 $W \"") + argument + "\" > /dev/null 2>&1").exit_code == 2);
    CHECK(shell(std::string("timeout 20 $W deadline --rate \"") + argument + "\" > /dev/null 2>&1").exit_code == 2);
  }
}

TEST_CASE("results go to standard output and complaints to standard error") {
  CHECK(shell("$W list systems 2>&1 >/dev/null").output.empty());
  CHECK(shell("$W --help 2>&1 >/dev/null").output.empty());
  CHECK(shell("$W estimate --help 2>&1 >/dev/null").output.empty());
  CHECK(shell("$W estimate nothing 2>/dev/null").output.empty());
  CHECK(shell("$W 2>/dev/null").output.empty());
  CHECK(shell("$W 2>/dev/null").exit_code == 2);
}

TEST_CASE("a model that does not fit is exit code 1, bad input is 2") {
  CHECK(shell("$W estimate llama-3.1-405b --wafers 2 2>/dev/null").exit_code == 1);
  CHECK(shell("$W estimate llama-3.1-8b --system tiny 2>/dev/null").exit_code == 1);
  CHECK(shell("$W estimate llama-3.1-8b --wafers two 2>/dev/null").exit_code == 2);
}

TEST_CASE("every subcommand's help has an example, and the example is accepted") {
  const ShellResult help = shell(
      "for c in $($W --help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p'); do $W $c --help | sed -n 's/^  waferline //p'; "
      "done");
  REQUIRE(help.exit_code == 0);
  CHECK(std::count(help.output.begin(), help.output.end(), '\n') >= 7);
  CHECK(shell("$W help estimate").output == shell("$W estimate --help").output);
}
