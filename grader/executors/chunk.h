// A chunk: some submissions to grade, and how, as its chunk.toml says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// How all submissions of a chunk are graded.
struct ChunkOptions {
  std::string backend;    ///< "gpu", "vgpu" or "both"
  std::string toolchain;  ///< "nvcc" or "clang"
  std::set<std::string> groups = {"check"};
  std::uint64_t seed = 0;  ///< up to 2^63 - 1
  bool is_timed = true;    ///< on a GPU
  bool has_sandbox = true;
};

struct ChunkSubmission {
  std::string lab;
  std::string content;  ///< hash of the source and the answers, which are in the chunk's sources/<lab>/<content>/
  std::string terms;    ///< StoredKey::terms: a machine on which they differ does not grade it
  std::set<std::string> tasks;  ///< empty: all of the lab's
};

/// The chunk's folder also holds seed_file.toml if there are hidden cases, and the submissions' sources.
struct Chunk {
  ChunkOptions options;
  std::vector<ChunkSubmission> submissions;
};

constexpr const char* kChunkFile = "chunk.toml";
constexpr const char* kChunkSeedFile = "seed_file.toml";

/// Conversion to text and back. Equal options give equal text.
std::string chunk_toml(const Chunk& chunk);
Expected<Chunk> read_chunk(const std::filesystem::path& folder);

}  // namespace lanewise
