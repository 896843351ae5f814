#include <filesystem>
#include <fstream>
#include <string>

#include "arch/error.hpp"
#include "arch/text_file.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
namespace fs = std::filesystem;

namespace {

/// An empty folder that goes away.
struct Scratch {
  fs::path path = fs::temp_directory_path() / "waferline-write-file-test";
  Scratch() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Scratch() { fs::remove_all(path); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("a file is written whole and replaced whole, and nothing else is left beside it") {
  const Scratch scratch;
  write_file_atomically(scratch.path / "a", "first, longer");
  write_file_atomically(scratch.path / "a", "second");
  CHECK(read_text_file(scratch.path / "a", 100) == "second");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("writing through a link changes what it points to and keeps the link") {
  const Scratch scratch;
  write_file_atomically(scratch.path / "target", "old");
  fs::create_symlink("target", scratch.path / "link");
  write_file_atomically(scratch.path / "link", "new");
  CHECK(fs::is_symlink(scratch.path / "link"));
  CHECK(read_text_file(scratch.path / "target", 100) == "new");
}

TEST_CASE("a device stays a device") {
  write_file_atomically("/dev/null", "anything");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a place that cannot be written is refused with its name and leaves nothing behind") {
  const Scratch scratch;
  fs::create_directory(scratch.path / "folder");
  CHECK_THROWS_WITH(write_file_atomically(scratch.path / "folder", "x"), Catch::Contains("is a directory"));
  CHECK_THROWS_WITH(write_file_atomically(scratch.path / "absent" / "a", "x"),
                    Catch::Contains("absent/a: cannot be written"));
  CHECK_THROWS_AS(write_file_atomically(scratch.path / std::string(300, 'n'), "x"), ConfigError);
  CHECK(scratch.entries() == 1);
}
