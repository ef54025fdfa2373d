// Something about single words of a large memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vgpu {

/// A map from addresses of words of 4 bytes. Finding one takes two steps into arrays where neighbours lie side by side:
/// a hash of addresses would wait for memory several times, and programs that change words by atomics ask at every one.
template <class Value>
class WordTable {
 public:
  bool empty() const { return live_ == 0; }
  std::size_t size() const { return live_; }

  /// Null if there is nothing. Holds, as the next one, until something else is added or goes.
  Value* find(std::uint64_t address) {
    if (live_ == 0) return nullptr;
    const Page* const page = page_at(address / kPageBytes);
    const std::uint32_t number = page == nullptr ? 0 : page->numbers[address % kPageBytes / kWordBytes];
    return number == 0 ? nullptr : &entries_[number - 1].value;
  }
  const Value* find(std::uint64_t address) const { return const_cast<WordTable*>(this)->find(address); }

  /// Made if there is nothing.
  Value& operator[](std::uint64_t address) {
    Page* page = page_at(address / kPageBytes);
    if (page == nullptr) page = add_page(address / kPageBytes);
    std::uint32_t& number = page->numbers[address % kPageBytes / kWordBytes];
    if (number == 0) {
      if (free_.empty()) {
        entries_.emplace_back();
        number = static_cast<std::uint32_t>(entries_.size());
      } else {
        number = free_.back();
        free_.pop_back();
      }
      entries_[number - 1].address = address;
      ++live_;
    }
    return entries_[number - 1].value;
  }

  void erase(std::uint64_t address) {
    if (live_ == 0) return;
    Page* const page = page_at(address / kPageBytes);
    std::uint32_t* const number = page == nullptr ? nullptr : &page->numbers[address % kPageBytes / kWordBytes];
    if (number == nullptr || *number == 0) return;
    entries_[*number - 1] = {};
    free_.push_back(std::exchange(*number, 0));
    --live_;
  }

  void clear() {
    if (pages_.size() > kFewPages) {
      pages_.clear();
      recent_.clear();
    } else {
      for (const Entry& entry : entries_)
        if (entry.address != kNone)
          page_at(entry.address / kPageBytes)->numbers[entry.address % kPageBytes / kWordBytes] = 0;
    }
    entries_.clear();
    free_.clear();
    live_ = 0;
  }

  /// In the order in which they came, as long as none has gone.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const Entry& entry : entries_)
      if (entry.address != kNone) visit(entry.value);
  }

 private:
  static constexpr std::uint64_t kWordBytes = 4, kPageBytes = 4096, kNone = 1;  // no word begins there
  static constexpr std::size_t kFewPages = 64;                                  ///< that are kept when all is cleared
  static constexpr std::size_t kRecent = 64;
  struct Page {
    std::array<std::uint32_t, kPageBytes / kWordBytes> numbers{};  ///< of entries, from 1
  };
  struct Entry {
    std::uint64_t address = kNone;
    Value value{};
  };
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  Page* page_at(std::uint64_t number) {
    if (recent_.empty()) return nullptr;
    Recent& recent = recent_[number % kRecent];
    if (recent.number == number) return recent.page;
    const auto found = pages_.find(number);
    if (found == pages_.end()) return nullptr;
    recent = {number, found->second.get()};
    return recent.page;
  }
  Page* add_page(std::uint64_t number) {
    Page* const page = pages_.emplace(number, std::make_unique<Page>()).first->second.get();
    if (recent_.empty()) recent_.resize(kRecent);
    recent_[number % kRecent] = {number, page};
    return page;
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<Recent> recent_;  ///< by their numbers, modulo kRecent; empty as long as there is no page
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;  ///< numbers of entries that are gone
  std::size_t live_ = 0;
};

}  // namespace vgpu
