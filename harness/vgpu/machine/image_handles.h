// The numbers by which kernels name textures and surfaces.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/vgpu/machine/texture.h"

namespace vgpu {

/// Texture and surface objects of a device. Handles are not reused, so that a destroyed object can be told from one
/// that never existed.
class ImageHandles {
 public:
  std::uint64_t add_texture(const Texture& texture);
  std::uint64_t add_surface(const Image& image);
  /// Ends an object; false if the handle is not alive, or of the other sort.
  bool remove_texture(std::uint64_t handle) { return remove(handle, Sort::kTexture); }
  bool remove_surface(std::uint64_t handle) { return remove(handle, Sort::kSurface); }

  /// The object behind a handle; null if there is none of that sort.
  const Texture* texture(std::uint64_t handle) const { return find(handle, Sort::kTexture); }
  const Image* surface(std::uint64_t handle) const {
    const Texture* const found = find(handle, Sort::kSurface);
    return found != nullptr ? &found->image : nullptr;
  }

  /// Why a handle is not a texture, or not a surface, as a sentence.
  std::string why_no_texture(std::uint64_t handle) const { return why_not(handle, "texture"); }
  std::string why_no_surface(std::uint64_t handle) const { return why_not(handle, "surface"); }

 private:
  enum class Sort : std::uint8_t { kTexture, kSurface };
  struct Object {
    Sort sort;
    bool destroyed;
    Texture texture;  ///< of a surface only the image
  };

  std::uint64_t add(Sort sort, const Texture& texture);
  bool remove(std::uint64_t handle, Sort sort);
  const Texture* find(std::uint64_t handle, Sort sort) const;
  std::string why_not(std::uint64_t handle, const char* wanted) const;

  /// Small numbers stay unused: they are typical of handles that were never set.
  static constexpr std::uint64_t kFirst = 0x10000001;

  std::uint64_t next_ = kFirst;
  std::map<std::uint64_t, Object> objects_;
};

}  // namespace vgpu
