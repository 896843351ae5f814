#include "traces/run/replaced_file.hpp"

#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scratch.hpp"
#include "tests/unit/recorded/small_run.hpp"

using namespace waferline::traces;
using namespace waferline::tests;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const char* text) {
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("a file appears under its name when it is complete, in place of the old one") {
  const Scratch scratch;
  const fs::path target = scratch.path / "a.h5";
  write(target, "old");
  {
    ReplacedFile file(target);
    write(file.temporary(), "new");
    CHECK(read_whole(target) == "old");
    file.commit();
    CHECK(read_whole(target) == "new");
  }
  CHECK(read_whole(target) == "new");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a file that is given up leaves the old one and nothing beside it") {
  const Scratch scratch;
  const fs::path target = scratch.path / "a.h5";
  write(target, "old");
  {
    const ReplacedFile file(target);
    write(file.temporary(), "half");
    CHECK(scratch.entries() == 2);
  }
  CHECK(read_whole(target) == "old");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a link is kept and what it points to is replaced") {
  const Scratch scratch;
  write(scratch.path / "real", "old");
  fs::create_symlink("real", scratch.path / "link");
  ReplacedFile file(scratch.path / "link");
  write(file.temporary(), "new");
  file.commit();
  CHECK(fs::is_symlink(scratch.path / "link"));
  CHECK(read_whole(scratch.path / "real") == "new");
}

TEST_CASE("a directory, a pipe and a device are no place for a file that is renamed") {
  const Scratch scratch;
  REQUIRE(::mkfifo((scratch.path / "pipe").c_str(), 0600) == 0);
  CHECK(refusal([&] { ReplacedFile(scratch.path); }).ends_with("is a directory, not a file"));
  CHECK(refusal([&] { ReplacedFile(scratch.path / "pipe"); }).find("is not a regular file") != std::string::npos);
  CHECK(refusal([&] { ReplacedFile("/dev/null"); }).starts_with("/dev/null: is not a regular file"));
}

TEST_CASE("a rename that fails is told with the name that was asked for") {
  const Scratch scratch;
  const fs::path folder = scratch.path / "folder";
  fs::create_directory(folder);
  ReplacedFile file(folder / "a.h5");
  write(file.temporary(), "new");
  fs::remove_all(folder);
  CHECK(refusal([&] { file.commit(); }) ==
        (folder / "a.h5").string() + ": cannot be written: No such file or directory");
}
