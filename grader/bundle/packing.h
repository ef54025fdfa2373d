// A bundle as a zip: the same bundle makes the same bytes, and one that a stranger made does no harm.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/bundle/bundle.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// The zip's bytes. `files`: contents by path, without manifest and README, which are made here; so are
/// Manifest::files.
Expected<std::string> packed_bundle(Manifest manifest, std::map<std::string, std::string> files);

/// Unpacks into the empty folder `into`, whose files then are those of Manifest::files, with the hashes that stand
/// there. Fails for anything else: links, names that lead elsewhere, too many files or bytes, contents that are not as
/// they were bundled.
Expected<Manifest> unpack_bundle(const std::filesystem::path& zip, const std::filesystem::path& into);

/// The one .cu among the files that were handed in, relative to where it was unpacked.
std::filesystem::path source_in(const Manifest& manifest);

}  // namespace lanewise
