#include "cli/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "arch/error.hpp"

namespace waferline::cli {
namespace {

constexpr int narrowest = 60;
constexpr int widest = 120;
constexpr int usual_width = 80;

/// A closed descriptor is filled with one that refuses what is done to it: reading end for output, writing end for
/// input.
void fill_if_closed(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) return;
  const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  if (opened != -1 && opened != descriptor) ::close(opened);
}

/// 0 if all was written, else the reason.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string name = value;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) fill_if_closed(descriptor);
  std::signal(SIGPIPE, SIG_IGN);
}

report::Page page_of_terminal() {
  report::Page page{usual_width, locale_is_utf8()};
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    page.width = std::clamp<int>(size.ws_col, narrowest, widest);
  }
  return page;
}

bool standard_error_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

bool write_standard_output(std::string_view text) {
  const int reason = write_all(STDOUT_FILENO, text);
  if (reason == EPIPE) return false;
  if (reason != 0) throw ConfigError(fmt::format("standard output: cannot be written: {}", std::strerror(reason)));
  return true;
}

void write_standard_error(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

}  // namespace waferline::cli
