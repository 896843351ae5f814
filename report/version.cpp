#include "report/version.hpp"

namespace waferline::report {

const char* version() {
  return WAFERLINE_VERSION;
}

}  // namespace waferline::report
