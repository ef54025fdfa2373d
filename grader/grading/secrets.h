// An instructor's secrets: a seed for all random inputs, and cases that students have not seen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/runner/find.h"

namespace lanewise {

struct Secrets {
  std::uint64_t seed = 0;
  std::map<std::pair<std::string, std::string>, std::vector<CaseFile>> cases;  ///< by lab and task; of the group grade
};

/// Reads a file such as
///
///     seed = 8213974021
///     [[case]]
///     lab = "scan"
///     task = "inclusive_scan"
///     name = "a prime beyond three blocks"
///     make = { kind = "uniform", n = 3079, low = 0, high = 3 }
///     points = 4
///     why = "no block size divides it"
///
/// and generates each case once, so that a mistake shows before anybody is graded. The failure names file and line.
Expected<Secrets> read_secrets(const std::filesystem::path& file, const std::vector<LabSelection>& labs);

/// A seed that nobody can guess, and that such a file can repeat: from 1 to 2^63 - 1.
std::uint64_t drawn_seed();

/// The same file as TOML text, with the seed and the cases of one lab only. Fails if it is not a file of secrets.
Expected<std::string> secrets_of_lab(const std::filesystem::path& file, const std::string& lab);

/// Adds the cases to their labs, after those that the labs already have.
void add_hidden_cases(const Secrets& secrets, std::vector<LabSelection>& labs);

}  // namespace lanewise
