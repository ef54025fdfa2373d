// Memory of the program's own that kernels reach, too: its pages are replaced by those of a file which the process of
// the devices maps as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace vgpu::link {

/// A page at address a lies at offset a of the file.
class SharedPages {
 public:
  /// False if the pages cannot be replaced. Other threads must not write to them meanwhile.
  bool share(std::uint64_t begin, std::uint64_t bytes, int file);
  /// Gives a range its own pages back, but for those that another one needs.
  void unshare(std::uint64_t begin);

 private:
  bool replace(std::uint64_t begin, std::uint64_t end, int file);

  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< bytes, by where they begin
  std::map<std::uint64_t, unsigned> pages_;        ///< how many ranges need each, by its address
};

}  // namespace vgpu::link
