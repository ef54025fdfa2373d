// A vector whose first elements lie in the object itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace vgpu {

/// Of plain values. There is no allocation, and nowhere else to look, as long as there are few of them.
template <class T, std::uint32_t Few>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");

 public:
  SmallVector() = default;
  SmallVector(SmallVector&& other) noexcept { swap(other); }
  SmallVector& operator=(SmallVector&& other) noexcept {
    SmallVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  ~SmallVector() = default;

  T* begin() { return more_ == nullptr ? few_ : more_.get(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return more_ == nullptr ? few_ : more_.get(); }
  const T* end() const { return begin() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t n) { return begin()[n]; }
  const T& operator[](std::size_t n) const { return begin()[n]; }
  const T& front() const { return *begin(); }

  void push_back(const T& value) { insert(end(), value); }
  void insert(T* before, T value) {
    std::uint32_t at = static_cast<std::uint32_t>(before - begin());
    if (size_ == room_) {
      room_ = std::max(2 * room_, 2 * Few);  // the compiler does not see that it never is 0
      auto larger = std::make_unique<T[]>(room_);
      for (std::uint32_t n = 0; n < size_; ++n) larger[n] = begin()[n];
      more_ = std::move(larger);
    }
    T* const all = begin();
    for (++size_; at < size_; ++at) std::swap(all[at], value);
  }
  void erase(T* one) {
    for (; one + 1 != end(); ++one) *one = one[1];
    --size_;
  }
  /// Keeps its room.
  void clear() { size_ = 0; }

 private:
  void swap(SmallVector& other) {
    std::swap(few_, other.few_);
    std::swap(more_, other.more_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  std::unique_ptr<T[]> more_;  ///< null: they lie in few_
  std::uint32_t size_ = 0, room_ = Few;
  T few_[Few] = {};
};

}  // namespace vgpu
