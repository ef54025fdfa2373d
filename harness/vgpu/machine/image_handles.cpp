#include "harness/vgpu/machine/image_handles.h"

#include <cstdio>

namespace vgpu {

std::uint64_t ImageHandles::add_texture(const Texture& texture) { return add(Sort::kTexture, texture); }

std::uint64_t ImageHandles::add_surface(const Image& image) {
  Texture texture;
  texture.image = image;
  return add(Sort::kSurface, texture);
}

std::uint64_t ImageHandles::add(Sort sort, const Texture& texture) {
  objects_[next_] = {sort, false, texture};
  return next_++;
}

bool ImageHandles::remove(std::uint64_t handle, Sort sort) {
  const auto found = objects_.find(handle);
  if (found == objects_.end() || found->second.destroyed || found->second.sort != sort) return false;
  found->second.destroyed = true;
  return true;
}

const Texture* ImageHandles::find(std::uint64_t handle, Sort sort) const {
  const auto found = objects_.find(handle);
  const bool alive = found != objects_.end() && !found->second.destroyed && found->second.sort == sort;
  return alive ? &found->second.texture : nullptr;
}

std::string ImageHandles::why_not(std::uint64_t handle, const char* wanted) const {
  char number[32];
  std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(handle));
  const std::string object = std::string(wanted) + " object";
  const auto found = objects_.find(handle);
  if (found == objects_.end())
    return handle == 0
               ? "the " + object + " is 0: it was never created"
               : "there is no " + object + " " + number + ": was it created, and passed to the kernel by value?";
  const char* const sort = found->second.sort == Sort::kTexture ? "texture" : "surface";
  if (sort != std::string(wanted)) return std::string("a ") + sort + " object was used as a " + wanted + " object";
  return "the " + object + " " + number + " has been destroyed";
}

}  // namespace vgpu
