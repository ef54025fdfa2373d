// How often each of a few addresses is in a set that changes all the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {

/// A multiset of addresses, or of numbers of their granules, without an allocation for each.
class AddressCounts {
 public:
  bool empty() const { return total_ == 0; }
  bool has(std::uint64_t address) const { return total_ != 0 && places_[place_of(address)].count != 0; }

  void add(std::uint64_t address) {
    if (2 * (used_ + 1) > places_.size()) make_room();
    Place& place = places_[place_of(address)];
    used_ += place.is_taken ? 0 : 1;
    place = {address, place.count + 1, true};
    ++total_;
  }
  /// Once; it need not be there.
  void remove(std::uint64_t address) {
    if (!has(address)) return;
    --places_[place_of(address)].count;
    if (--total_ == 0 && used_ > kFew) make_room();
  }

 private:
  static constexpr std::size_t kFew = 1024;
  struct Place {
    std::uint64_t address = 0;
    std::uint32_t count = 0;
    bool is_taken = false;  ///< also by an address that is gone, until there is need of room
  };

  /// Where it is, or would be. There is always a free place.
  std::size_t place_of(std::uint64_t address) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    const std::size_t last = places_.size() - 1;
    std::size_t at = static_cast<std::size_t>(address * kGoldenRatio >> 32) & last;
    while (places_[at].is_taken && places_[at].address != address) at = (at + 1) & last;
    return at;
  }

  /// Room for twice as many as there are.
  void make_room() {
    std::size_t there = 0;
    for (const Place& place : places_) there += place.count != 0 ? 1 : 0;
    std::size_t size = 64;
    while (size < 4 * (there + 1)) size *= 2;
    std::vector<Place> before(size);
    before.swap(places_);
    used_ = there;
    for (const Place& place : before)
      if (place.count != 0) places_[place_of(place.address)] = place;
  }

  std::vector<Place> places_;  ///< a power of two of them
  std::size_t used_ = 0, total_ = 0;
};

}  // namespace vgpu
