// The files that a program is loaded from: where in them calls of the runtime were made.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace vgpu::cudart {

/// A program or a shared object, where it lies in the program's memory.
struct LoadedObject {
  std::uint64_t begin = 0, end = 0;
  std::string path;
};

/// What lies where in the memory of a program.
class LoadedObjects {
 public:
  /// More objects than this are not remembered: a hostile program gets no further.
  static constexpr std::size_t kMost = 64;

  struct Place {
    std::string object;        ///< path of the file; empty: unknown
    std::uint64_t offset = 0;  ///< of the call, as the file's tables count
  };

  /// An object that lay in the same place before is there no longer.
  void add(LoadedObject object) {
    if (object.begin < object.end && (objects_.size() < kMost || objects_.count(object.begin) != 0))
      objects_[object.begin] = std::move(object);
  }

  /// Of a call that returns to `address`.
  Place place_of(std::uint64_t address) const {
    auto found = objects_.lower_bound(address);
    if (found == objects_.begin()) return {};
    --found;  // the call ends where it returns to, and lies before
    const LoadedObject& object = found->second;
    return address <= object.end ? Place{object.path, address - 1 - object.begin} : Place{};
  }

 private:
  std::map<std::uint64_t, LoadedObject> objects_;  ///< by where they begin
};

}  // namespace vgpu::cudart
