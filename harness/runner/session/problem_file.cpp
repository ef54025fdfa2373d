// A file in the layout of the shared memory, written and read piece by piece: a GPU's cases are larger than a worker's.
#include "harness/runner/session/problem_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/runner/descriptor.h"
#include "harness/runner/session/case_layout.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

Failure trouble_with(const fs::path& file, const char* what) {
  return Failure{fmt::format("{}: {} ({})", file.string(), what, std::strerror(errno))};
}

bool write_at(const Descriptor& descriptor, const void* data, std::uint64_t bytes, std::uint64_t offset) {
  const auto* from = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(descriptor.get(), from, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::uint64_t>(written);
  }
  return true;
}

bool read_at(const Descriptor& descriptor, void* data, std::uint64_t bytes, std::uint64_t offset) {
  auto* to = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = pread(descriptor.get(), to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

}  // namespace

std::optional<Failure> write_problem(const Problem& problem, const fs::path& file) {
  const auto message = lay_out(problem);
  if (!message) return message.failure();
  const Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!descriptor) return trouble_with(file, "the file cannot be written");
  bool is_written = ftruncate(descriptor.get(), static_cast<off_t>(message->memory_bytes)) == 0;
  for (std::size_t i = 0; i < problem.inputs.size() && is_written; ++i)
    is_written =
        write_at(descriptor, problem.inputs[i].bytes.data(), message->arrays[i].bytes, message->arrays[i].offset);
  is_written = is_written && write_at(descriptor, &*message, sizeof(*message), message->memory_bytes);
  if (!is_written) return trouble_with(file, "the case cannot be written there");
  return std::nullopt;
}

Expected<std::vector<Array>> read_outputs(const Problem& problem, const fs::path& file) {
  const auto message = lay_out(problem);
  if (!message) return message.failure();
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor) return trouble_with(file, "the file cannot be read");
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const protocol::ArrayPlace& place = message->arrays[problem.inputs.size() + i];
    Array& output = outputs.emplace_back();
    static_cast<ArrayShape&>(output) = problem.outputs[i];
    output.bytes.resize(place.bytes);
    if (!read_at(descriptor, output.bytes.data(), place.bytes, place.offset))
      return trouble_with(file, "the outputs cannot be read");
  }
  return outputs;
}

}  // namespace lanewise
