#include "traces/run/survives.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace waferline::traces {
namespace {

void be_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

bool survives(const std::function<void()>& attempt) {
  const pid_t copy = ::fork();
  if (copy < 0) return true;
  if (copy == 0) {
    be_silent();
    try {
      attempt();
    } catch (...) {  // the caller meets it again
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0) {
    if (errno != EINTR) return true;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace waferline::traces
