// A bundle as a zip: the same bundle gives the same bytes, and an untrusted one does no harm.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/bundle/bundle.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// The zip's bytes. `files`: contents by path, without manifest and README, which are generated here, as are
/// Manifest::files.
Expected<std::string> packed_bundle(Manifest manifest, std::map<std::string, std::string> files);

/// Unpacks into the empty folder `into`, whose files are then those of Manifest::files, with the hashes given there.
/// Fails for anything else: links, names that lead elsewhere, too many files or bytes, contents that have changed.
Expected<Manifest> unpack_bundle(const std::filesystem::path& zip, const std::filesystem::path& into);

/// The only .cu among the submitted files, relative to where the bundle was unpacked.
std::filesystem::path source_in(const Manifest& manifest);

}  // namespace lanewise
