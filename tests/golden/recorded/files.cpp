// What is left on the disk when a recorded run ends, is interrupted, or cannot write.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/golden/recorded/recorded.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

using namespace waferline::tests;

namespace {

std::size_t differing_bytes(const std::string& a, const std::string& b) {
  REQUIRE(a.size() == b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a recorded run prints the tokens of one that is not, and leaves its files alone") {
  const Bench bench;
  const ShellResult plain = bench.run(decode() + "| grep ^token");
  const ShellResult recorded = bench.run(decode() + "--hdf5 run.h5 --perfetto run.json | grep ^token; ls");
  CHECK(recorded.output == plain.output + "run.h5\nrun.json\ntiny\n");
}

TEST_CASE("files of 1, 2 and 4 threads differ in the one digit of their command") {
  const Bench bench;
  for (const char* threads : {"1", "2", "4"}) {
    const ShellResult result = bench.run(fmt::format(
        "mkdir {0}; cd {0}; ln -s ../tiny; {1} --hdf5 run.h5 --perfetto run.json --threads {0}", threads, decode()));
    REQUIRE(result.exit_code == 0);
  }
  const auto path = [&](const char* threads, const char* file) { return bench.scratch.path / threads / file; };
  for (const char* file : {"run.h5", "run.json"}) {
    const std::string one = read_whole(path("1", file));
    REQUIRE(one.size() > 10'000);
    for (const char* threads : {"2", "4"}) CHECK(differing_bytes(one, read_whole(path(threads, file))) == 1);
  }
}

TEST_CASE("a run that is killed leaves no file under its name, and the old one if there was one") {
  const Bench bench;
  const std::string killed =
      "mkfifo fifo; echo old > old.h5; "
      "\"$W\" emulate model --weights tiny --prompt-ids 1 --tokens 511 --mesh 16x16 --stop-token 511 --hdf5 old.h5 "
      "--perfetto new.json > fifo 2> errors & pid=$!; "
      "exec 3< fifo; read line <&3; ls | grep -c h5; kill -9 $pid; wait $pid; echo \"exit $?\"; cat old.h5; "
      "ls new.json 2>&1 | grep -c 'No such'; cat errors";
  const ShellResult result = bench.run(killed);
  CHECK(result.output == "1\nexit 137\nold\n1\n");
}

TEST_CASE("a run whose disk is full says so, leaves no file, and still prints its answer") {
  const Bench bench;
  for (const char* flag : {"--hdf5", "--perfetto"}) {
    // A limit on the size of files stands for the full disk.
    const ShellResult result =
        bench.run(fmt::format("(trap '' XFSZ; ulimit -f 8; {} {} run 2> errors > text); echo $?; grep -c ^token text; "
                              "tail -1 text | cut -c1-5; ls; cat errors",
                              decode("--tokens 40 --mesh 6x10"), flag));
    INFO(flag);
    CHECK(result.output == "2\n40\nHost:\nerrors\ntext\ntiny\nwaferline: run: cannot be written: File too large\n");
  }
}

TEST_CASE("places that cannot be written to are refused before anything runs") {
  const Bench bench;
  for (const char* flag : {"--hdf5", "--perfetto"}) {
    const auto said = [&](const std::string& file) {
      const ShellResult result = bench.run(decode() + flag + " " + file + " 2>&1; echo \"exit $?\"");
      CHECK(result.output.ends_with("exit 2\n"));
      CHECK(result.output.find("token ") == std::string::npos);
      return result.output;
    };
    INFO(flag);
    CHECK(said("nowhere/run").find("there is no folder") != std::string::npos);
    CHECK(said(".").find("is a directory") != std::string::npos);
    CHECK(said("''").find("is empty") != std::string::npos);
    CHECK(said("/dev/full").find("is not a regular file") != std::string::npos);
  }
  const ShellResult same = bench.run(decode() + "--hdf5 a --perfetto ./a 2>&1");
  CHECK(same.output == "waferline: --perfetto: names the same file as --hdf5\n");
}

TEST_CASE("the command stands in the files so that a shell runs it again") {
  const Bench bench;
  REQUIRE(bench.run("mkdir 'a b'; " + decode() + "--hdf5 'a b/run.h5'").exit_code == 0);
  const ShellResult first = bench.run("$W trace 'a b/run.h5' --json - > first.json; cp 'a b/run.h5' old.h5");
  std::ifstream in(bench.scratch.path / "first.json");
  const std::string command = nlohmann::json::parse(in)["trace"]["command"];
  REQUIRE(command.starts_with("waferline emulate model "));
  CHECK(command.ends_with(" --hdf5 'a b/run.h5'"));
  CHECK(bench.run("$W" + command.substr(9) + " > /dev/null; cmp old.h5 'a b/run.h5'").exit_code == 0);
}
