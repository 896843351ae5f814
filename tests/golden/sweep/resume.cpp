// A sweep survives whatever happens to its process, and does not mix with another.
#include <csignal>

#include "tests/golden/sweep/sweep_bench.hpp"

using namespace waferline::tests;

TEST_CASE("a sweep that is killed goes on with the rows that are missing and ends up with the same file") {
  const SweepBench bench;
  for (const char* kind : {"csv", "h5"}) {
    const std::string whole = std::string("whole.") + kind;
    const std::string killed = std::string("killed.") + kind;
    INFO(kind);
    REQUIRE(bench.run("$W " + long_sweep + "--threads 1 --out " + whole).exit_code == 0);
    int rows = 0;
    for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
      REQUIRE(bench.kill_after(long_sweep, killed, 10, signal));
      CHECK_FALSE(bench.has(killed));
      REQUIRE(bench.rows(killed + ".partial") >= rows + 10);
      rows = bench.rows(killed + ".partial");
    }
    const ShellResult last = bench.run("$W " + long_sweep + "--resume --out " + killed);
    REQUIRE(last.exit_code == 0);
    CHECK(last.output.starts_with("60 points, " + std::to_string(rows) + " of them from before"));
    CHECK(bench.read(killed) == bench.read(whole));
    CHECK_FALSE(bench.has(killed + ".partial"));
  }
}

TEST_CASE("a row, a head or nothing at all that was cut off is written again") {
  const SweepBench bench;
  REQUIRE(bench.run("$W " + long_sweep + "--out whole.csv").exit_code == 0);
  const std::string whole = bench.read("whole.csv");
  const std::size_t head = whole.find("\nmodel,") + 10;
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, head, whole.size() - 7, whole.size()}) {
    INFO(length);
    std::filesystem::remove(bench.scratch.path / "a.csv");
    bench.write("a.csv.partial", whole.substr(0, length));
    REQUIRE(bench.run("$W " + long_sweep + "--resume --out a.csv > /dev/null").exit_code == 0);
    CHECK(bench.read("a.csv") == whole);
  }
}

TEST_CASE("without --resume an unfinished sweep is refused and a finished one stays until another is whole") {
  const SweepBench bench;
  REQUIRE(bench.kill_after(long_sweep, "a.csv", 10, SIGKILL));
  const std::string partial = bench.read("a.csv.partial");
  CHECK(bench.refusal(long_sweep + "--out a.csv") ==
        "waferline: --out: 'a.csv.partial' holds a sweep that was not finished; --resume goes on with it; remove it or "
        "name another --out\n");
  CHECK(bench.read("a.csv.partial") == partial);

  REQUIRE(bench.run("$W sweep --model smollm2-135m --out b.csv").exit_code == 0);
  const std::string before = bench.read("b.csv");
  {
    Child child(bench.scratch.path,
                {"sweep", "--model", "qwen3-1.7b", "--context", "1000:30000:1000", "--out", "b.csv"});
    while (child.runs() && bench.rows("b.csv.partial") < 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(child.kill(SIGKILL));
  }
  CHECK(bench.read("b.csv") == before);
  std::filesystem::remove(bench.scratch.path / "b.csv.partial");
  REQUIRE(bench.run("$W sweep --model smollm2-135m --context 4Ki --out b.csv").exit_code == 0);
  CHECK(bench.read("b.csv").find("# context_tokens: 4096\n") != std::string::npos);
}

TEST_CASE("a finished sweep is left as it is, and what is another sweep is refused, naming the difference") {
  const SweepBench bench;
  const std::string sweep = "sweep --model smollm2-135m --context 1Ki,2Ki --resume ";
  for (const char* kind : {"csv", "h5"}) {
    const std::string name = std::string("a.") + kind;
    const std::string out = " --out " + name + " ";
    const std::string shown = "waferline: --out: '" + name + "' ";
    const std::string end = "; remove it or name another --out\n";
    REQUIRE(bench.run("$W " + sweep + out).exit_code == 0);
    const auto written = std::filesystem::last_write_time(bench.scratch.path / name);
    const ShellResult again = bench.run("$W " + sweep + out);
    CHECK(again.exit_code == 0);
    CHECK(again.output.starts_with("2 points, 2 of them from before, 2 of which fit: " + name));
    CHECK(std::filesystem::last_write_time(bench.scratch.path / name) == written);

    const std::string other = "sweep --model smollm2-135m --resume" + out;
    CHECK(bench.refusal(other + "--context 1Ki,4Ki") ==
          shown + "holds another sweep: context_tokens is 1024,2048 there, 1024,4096 here" + end);
    CHECK(bench.refusal(other + "--context 1Ki,2Ki --software service-2026")
              .starts_with(shown + "holds another sweep: software is service-2024 there, service-2026 here"));
    CHECK(bench.refusal(other + "--context 1Ki,2Ki --set wafer.colors=24") ==
          shown + "holds a sweep without wafer.colors" + end);
    CHECK(std::filesystem::last_write_time(bench.scratch.path / name) == written);
    CHECK_FALSE(bench.has(name + ".partial"));
  }
  bench.write("b.csv", "mine\n");
  CHECK(bench.refusal("sweep --model smollm2-135m --resume --out b.csv").find("holds no sweep") != std::string::npos);
  CHECK(bench.read("b.csv") == "mine\n");
  bench.write("b.h5", "mine\n");
  CHECK(bench.refusal("sweep --model smollm2-135m --resume --out b.h5").find("b.h5: is not an HDF5 file") !=
        std::string::npos);
}

TEST_CASE("another sweep's unfinished file is refused, naming the difference, and left as it is") {
  const SweepBench bench;
  REQUIRE(bench.kill_after(long_sweep, "a.csv", 10, SIGKILL));
  const std::string partial = bench.read("a.csv.partial");
  const std::string out = "--resume --out a.csv ";
  CHECK(
      bench.refusal(
          "sweep --model smollm2-360m,smollm2-135m --context 1000:15000:1000 --users 1,3 --set wafer.usable=200x200 " +
          out) ==
      "waferline: --out: 'a.csv.partial' holds another sweep: users is 1,2 there, 1,3 here; remove it or name another "
      "--out\n");
  CHECK(bench
            .refusal("sweep --model smollm2-135m,smollm2-360m --context 1000:15000:1000 --users 1,2 --set "
                     "wafer.usable=200x200 " +
                     out)
            .find("model is smollm2-360m,smollm2-135m there, smollm2-135m,smollm2-360m here") != std::string::npos);
  CHECK(
      bench.refusal(long_sweep + "--set wafer.ramp_cycles=2 " + out).find("holds a sweep without wafer.ramp_cycles") !=
      std::string::npos);
  CHECK(bench.read("a.csv.partial") == partial);
}

TEST_CASE("a file under the same name whose content changed is another input") {
  const SweepBench bench;
  const std::string copy =
      "sed -e 's/^name = .*/name = \"mine\"/' " + (source_dir() / "arch/systems/wse3.toml").string();
  const std::string sweep = "sweep --model smollm2-135m --system ./mine.toml --resume --out a.csv";
  REQUIRE(bench.run(copy + " > mine.toml; $W " + sweep).exit_code == 0);
  REQUIRE(
      bench.run("sed -i 's/^colors = { value = 24/colors = { value = 25/' mine.toml; grep -c 'value = 25' mine.toml")
          .output == "1\n");
  CHECK(bench.refusal(sweep).find("content of system ./mine.toml is ") != std::string::npos);
}

TEST_CASE("rows that another build computed are not mixed with those of this one") {
  const SweepBench bench;
  REQUIRE(bench.kill_after(long_sweep, "a.csv", 10, SIGKILL));
  const std::string edit = "sed -i '$s/,1,,\\([0-9]\\)/,1,,9\\1/' a.csv.partial";
  REQUIRE(bench.run("sed -i '$d' a.csv.partial; " + edit).exit_code == 0);
  const std::string said = bench.refusal(long_sweep + "--resume --out a.csv");
  CHECK(said.find("was computed by another build: row ") != std::string::npos);
  CHECK(said.find("tokens_per_s_low is 9") != std::string::npos);
}

TEST_CASE("a line that is no row of the sweep is refused with its number") {
  const SweepBench bench;
  const std::string sweep = "sweep --model smollm2-135m --context 1Ki,2Ki,4Ki --resume --out a.csv";
  REQUIRE(bench.run("$W " + sweep).exit_code == 0);
  const std::string whole = bench.read("a.csv");
  std::filesystem::remove(bench.scratch.path / "a.csv");
  const auto refusal = [&](const std::string& edit) {
    bench.write("a.csv.partial", whole);
    REQUIRE(bench.run("sed -i '" + edit + "' a.csv.partial").exit_code == 0);
    return bench.refusal(sweep);
  };
  CHECK(refusal("$s/4096/4097/").find("'a.csv.partial': row 3: context_tokens is 4097 there, 4096 here") !=
        std::string::npos);
  CHECK(refusal("$s/,[^,]*$//").find("'a.csv.partial': row 3: is no row of this sweep") != std::string::npos);
  CHECK(refusal("$p").find("has more rows than the 3 points") != std::string::npos);
}

TEST_CASE("two processes do not write the same sweep") {
  const SweepBench bench;
  std::string said;
  {
    Child child(bench.scratch.path, {"sweep", "--model", "qwen3-1.7b", "--context", "1:5000", "--out", "a.csv"});
    while (child.runs() && bench.rows("a.csv.partial") < 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    said = bench.refusal("sweep --model qwen3-1.7b --context 1:5000 --out a.csv --resume");
    CHECK(child.kill(SIGKILL));
  }
  CHECK(said == "waferline: --out: 'a.csv.partial': another process is writing it now\n");
}

TEST_CASE("places that no sweep can go on in are refused") {
  const SweepBench bench;
  for (const char* out : {"/dev/stdout", "/dev/full", ".", "no/a.csv", "''", "a.txt", "a", "a.csv.gz"}) {
    INFO(out);
    CHECK(bench.refusal(std::string("sweep --model smollm2-135m --out ") + out).starts_with("waferline: --out: "));
  }
  CHECK(bench.scratch.entries() == 0);
}

TEST_CASE("a full disk ends a sweep with what is there, and it goes on once there is room") {
  const SweepBench bench;
  REQUIRE(bench.run("$W " + long_sweep + "--out whole.csv").exit_code == 0);
  // A limit on the size of files, met with an error instead of a signal.
  const ShellResult full = bench.run("(trap '' XFSZ; ulimit -f 16; $W " + long_sweep + "--out a.csv 2>&1 > /dev/null)");
  CHECK(full.exit_code == 2);
  CHECK(full.output.find("a.csv.partial': cannot be written: File too large") != std::string::npos);
  REQUIRE(bench.has("a.csv.partial"));
  REQUIRE(bench.run("$W " + long_sweep + "--resume --out a.csv").exit_code == 0);
  CHECK(bench.read("a.csv") == bench.read("whole.csv"));
}
