#pragma once
// The three standard streams: what they can show, and writing to them so that no failure passes unseen.

#include <string_view>

#include "report/page.hpp"

namespace waferline::cli {

/// Makes sure that descriptors 0 to 2 are open, so that no output file lands on one of them, and that a closed pipe is
/// an error of the write instead of the death of the process. Call it before anything is opened.
void prepare_standard_streams();

/// Width of the terminal at standard output, 60 to 120; 80 if it is none. Block characters if the locale is UTF-8.
report::Page page_of_terminal();

bool standard_error_is_terminal();

/// Writes all of `text`.
/// Returns false if the reader has gone away (`| head`), which is no failure of ours.
/// Errors: ConfigError if standard output was closed from the start or the write fails, e.g. on a full disk.
bool write_standard_output(std::string_view text);

/// Writes to standard error; there is nobody to tell if that fails.
void write_standard_error(std::string_view text);

}  // namespace waferline::cli
