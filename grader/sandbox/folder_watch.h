// Whether a folder that foreign code may write to has become more than it may.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lanewise {

/// Looks through `folder`. True if it holds more than `most_bytes` or ten thousand entries, or something that cannot be
/// looked into, or if hardly anything is left of the disk: files that are open and have no name any more are not found.
bool is_overfull(const std::filesystem::path& folder, std::uint64_t most_bytes);

}  // namespace lanewise
