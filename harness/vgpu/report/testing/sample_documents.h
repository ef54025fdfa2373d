// Reports of kernels with known faults, for tests: what the counters would say, worked out access by access.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace vgpu::report {

/// The sources that the samples are about; their lines are numbered from 1.
extern const char* const kTransposeSource;
extern const char* const kMatmulSource;
extern const char* const kSumSource;

/// A document with the device and no kernels.
nlohmann::json empty_document();

/// A pattern of a warp's lanes, with its sectors, wavefronts and their least possible numbers. `address` gives -1 for a
/// lane that takes no part.
nlohmann::json pattern(const std::string& file, int line, const std::string& space, const std::string& kind, int bytes,
                       const std::function<std::int64_t(int lane)>& address);

/// out[x * n + y] = in[y * n + x] over 1,024 × 1,024 floats: stores a column at a time, at line 6.
nlohmann::json transpose_document(const std::string& source_path);

/// A tile read by columns without padding, at line 13: conflicts in all banks.
nlohmann::json matmul_document(const std::string& source_path);

/// if (threadIdx.x % (2 * stride) == 0) in a tree reduction, at line 8, with warps that wait at line 11.
nlohmann::json sum_document(const std::string& source_path);

/// The transpose by halves in two streams: the second half is copied in while the kernel runs on the first.
nlohmann::json streams_document(const std::string& source_path);

/// A kernel of `lines` lines that is wrong at each in every way, with a hundred findings of 10,000 times each.
nlohmann::json flood_document(const std::string& source_path, int lines);
std::string flood_source(int lines);

/// Names, texts and paths that would break out of markup, scripts and terminals.
nlohmann::json hostile_document(const std::string& source_path);
std::string hostile_source();

}  // namespace vgpu::report
