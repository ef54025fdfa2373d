// Finds a named data file: among those shipped, then in the user's own data folders.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "datasets/data_error.h"

namespace lanewise {

/// The folder that holds the shipped data: the environment variable LANEWISE_DATASETS if it is set and not empty,
/// otherwise datasets/ in the nearest folder above the running program that has one.
std::filesystem::path datasets_folder();

/// Where fetched or generated files go: the first folder in LANEWISE_DATA, else lanewise/ in XDG_DATA_HOME, else
/// ~/.local/share/lanewise. Empty if none of these is known. It need not exist.
std::filesystem::path download_folder();

/// Where data files are looked for, in order: images/ and matrices/ of datasets_folder(), then the folders in the
/// environment variable LANEWISE_DATA, separated by colons, then download_folder() if it is not one of these.
std::vector<std::filesystem::path> data_folders();

/// The first regular file called `name` in `folders`. `name` is a bare file name: one with a folder is refused. If it
/// is not found, the DataError lists where it was looked for.
std::variant<std::filesystem::path, DataError> find_data(const std::string& name,
                                                         const std::vector<std::filesystem::path>& folders);

/// The same in data_folders().
std::variant<std::filesystem::path, DataError> find_data(const std::string& name);

}  // namespace lanewise
