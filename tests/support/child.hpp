#pragma once
// A process of the built program that a test can kill.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace waferline::tests {

/// Started at once in `folder`, silent, with every signal as it is by default; killed when it goes.
class Child {
 public:
  Child(const std::filesystem::path& folder, const std::vector<std::string>& arguments) : pid_(::fork()) {
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ > 0) return;
    std::vector<char*> texts{const_cast<char*>(WAFERLINE_PROGRAM)};
    for (const std::string& argument : arguments) texts.push_back(const_cast<char*>(argument.c_str()));
    texts.push_back(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::signal(SIGINT, SIG_DFL);
    if (::chdir(folder.c_str()) == 0) ::execv(texts[0], texts.data());
    ::_exit(127);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) kill(SIGKILL);
  }

  bool runs() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) != 0) pid_ = -1;
    return pid_ > 0;
  }
  /// Sends the signal and waits. Returns whether that signal ended it.
  bool kill(int signal) {
    if (pid_ <= 0) return false;
    ::kill(pid_, signal);
    ::waitpid(pid_, &status_, 0);
    pid_ = -1;
    return WIFSIGNALED(status_) && WTERMSIG(status_) == signal;
  }

 private:
  pid_t pid_;
  int status_ = 0;
};

}  // namespace waferline::tests
