// Stops at most one block after the limit.
#include "grader/class/copy_blocks.h"

#include <string>
#include <string_view>

#include "grader/class/open_file.h"

namespace lanewise {

Expected<Taken> copy_blocks(const Wanted& wanted, std::int64_t time, Taken failed, std::uint64_t& purse,
                            const ReadBlock& read) {
  auto file = NewFile::create(wanted.to);
  if (!file) return file.failure();
  std::string block(64 << 10, '\0');
  std::uint64_t written = 0;
  for (;;) {
    const ssize_t bytes = read(block.data(), block.size());
    if (bytes < 0) return failed;
    if (bytes == 0) break;
    const auto count = static_cast<std::uint64_t>(bytes);
    written += count;
    if (written > wanted.most_bytes) return Taken::kTooLarge;
    if (count > purse) {
      purse = 0;
      return Taken::kTooMuch;
    }
    purse -= count;
    if (auto failure = file->write(std::string_view(block).substr(0, count))) return *std::move(failure);
  }
  file->finish(time);
  return Taken::kYes;
}

}  // namespace lanewise
