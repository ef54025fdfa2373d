// What each launch leaves in device memory, recorded under one schedule and compared under another.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu {

/// Takes down which words of device memory a launch wrote, which instruction wrote each last, and what is there when
/// the launch ends. That either goes into a file, or is held against such a file: the first launch that leaves other
/// values is a finding, with the first line of it that does. Launches are matched by kernel, shape and arguments, so
/// that streams may take turns in another order. (What kernels write to memory of the host or of another device is not
/// looked at.)
class StoreRecord : public Observer {
 public:
  explicit StoreRecord(FindingList& findings) : findings_(findings) {}

  /// False if the file cannot be written.
  bool record_to(const std::string& path);
  /// `seed` is this run's. False if the file is no record.
  bool compare_with(const std::string& path, std::uint64_t seed);
  bool is_on() const { return recording_.is_open() || compares_; }

  void launch_begins(const Launch& launch) override;
  void launch_ends(Launch& launch) override;
  Mask access(const MemoryAccess& access) override;

 private:
  static constexpr std::uint32_t kPageBytes = 4096, kWordBytes = 4, kWords = kPageBytes / kWordBytes;
  /// Of values in a file; pages beyond that have a digest.
  static constexpr std::uint64_t kMostValueBytes = std::uint64_t{512} << 20;

  using Values = std::array<std::uint32_t, kWords>;

  /// A page that the launch has written to.
  struct Page {
    Values before{};                             ///< when the launch first wrote there
    std::array<std::uint32_t, kWords> writer{};  ///< the number of the instruction in the kernel, from 1; 0: none
  };
  /// A page as the file has it.
  struct RecordedPage {
    std::uint64_t digest = 0;
    std::bitset<kWords> written;
    std::vector<std::uint32_t> values;  ///< of the written words, in order; empty: only the digest is known
  };
  using RecordedLaunch = std::map<std::uint64_t, RecordedPage>;  ///< by address

  /// A word that differs.
  struct Difference {
    std::uint64_t address = 0;
    std::uint32_t writer = 0;
    bool is_known = true;  ///< what it is under the other schedule
  };

  std::string key_of(const Launch& launch) const;
  void note(const MemoryAccess& access, std::uint32_t writer, std::uint64_t address);
  std::uint64_t digest_of(const Launch& launch, std::uint64_t address, const Page& page) const;
  void write_launch(const Launch& launch);
  void compare_launch(const Launch& launch);
  void report(const Launch& launch, const RecordedLaunch& recorded, const std::vector<Difference>& differences);

  FindingList& findings_;
  std::ofstream recording_;
  std::uint64_t value_bytes_ = 0;  ///< in the file so far
  bool compares_ = false;
  bool has_found_ = false;  ///< a difference: all later ones may follow from it
  std::uint64_t seed_ = 0;
  std::map<std::string, std::deque<RecordedLaunch>> recorded_;
  std::uint64_t launches_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  ///< of the launch under way
  std::uint64_t last_address_ = 0;
  Page* last_page_ = nullptr;  ///< at that address; null: none
};

}  // namespace vgpu
