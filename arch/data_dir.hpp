#pragma once
// Where the shipped data files (systems, gpus, software, model library) lie, in a source tree and once installed.

#include <filesystem>
#include <string_view>

namespace waferline {

/// Folder of shipped data, e.g. `data_dir("arch/systems")`.
/// The first of these that holds `relative`: $WAFERLINE_DATA, the source tree it was built from, the install prefix's
/// share/waferline, ../share/waferline beside the running program.
/// Errors: ConfigError naming every folder that was tried; an $WAFERLINE_DATA that lacks `relative` is one, too, since
/// who names a folder wants that folder.
std::filesystem::path data_dir(std::string_view relative);

}  // namespace waferline
