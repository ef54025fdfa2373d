// Whether a folder that untrusted code can write to exceeds its limits.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lanewise {

/// Walks `folder`. True if it holds more than `most_bytes` or ten thousand entries, or something that cannot be read,
/// or if the disk is almost full: files that are open but have been deleted are not found.
bool is_overfull(const std::filesystem::path& folder, std::uint64_t most_bytes);

}  // namespace lanewise
