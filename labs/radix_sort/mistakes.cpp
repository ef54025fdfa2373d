// What typical mistakes in a radix sort give.
#include "labs/radix_sort/mistakes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace lanewise::labs::radix_sort_lab {
namespace {

using RadixKey = std::uint32_t;
using RadixKeys = std::vector<RadixKey>;
using Outcome = std::function<std::vector<Array>(const Problem&)>;

constexpr int kKeyBits = 32;
constexpr int kWidths[] = {1, 4, 8};                                        // bits of a digit, as in the ladder
constexpr std::int64_t kRadixTiles[] = {512, 4096, 256, 1024, 2048, 6528};  // keys of a tile, the most likely first

// What memory holds that nobody has written: the output before a run, and on the virtual GPU any other memory.
constexpr RadixKey kUntouched = 0xA5A5A5A5U;
constexpr RadixKey kGarbage = 0xCBCBCBCBU;

RadixKeys keys_of(const Problem& problem) {
  const Array& in = find_array(problem.inputs, "in");
  const RadixKey* first = elements<RadixKey>(in);
  return {first, first + element_count(in)};
}

std::vector<Array> result(const RadixKeys& keys) {
  Array out = make_array<RadixKey>("out", {static_cast<std::int64_t>(keys.size())});
  std::copy(keys.begin(), keys.end(), elements<RadixKey>(out));
  return {std::move(out)};
}

std::size_t digit_of(RadixKey key, int shift, int width) { return key >> shift & ((RadixKey{1} << width) - 1); }

// Where the keys of each digit begin.
std::vector<std::size_t> starts_of(const RadixKeys& keys, int shift, int width) {
  std::vector<std::size_t> starts(std::size_t{1} << width);
  for (const RadixKey key : keys) ++starts[digit_of(key, shift, width)];
  std::size_t sum = 0;
  for (std::size_t& start : starts) sum += std::exchange(start, sum);
  return starts;
}

// Sorted by transform(key), in whose order equal ones stay as they were.
template <class Transform>
Outcome sorted_by(const Transform& transform) {
  return [transform](const Problem& problem) {
    RadixKeys keys = keys_of(problem);
    std::stable_sort(keys.begin(), keys.end(), [&](RadixKey a, RadixKey b) { return transform(a) < transform(b); });
    return result(keys);
  };
}

// Every pass puts keys with equal digits into the opposite order; where `only_the_last`, those with the last digit.
Outcome unstable(int width, bool only_the_last) {
  return [width, only_the_last](const Problem& problem) {
    RadixKeys from = keys_of(problem);
    for (int shift = 0; shift < kKeyBits; shift += width) {
      auto next = starts_of(from, shift, width);
      auto ends = next;
      ends.erase(ends.begin());
      ends.push_back(from.size());
      RadixKeys to(from.size());
      for (const RadixKey key : from) {
        const std::size_t digit = digit_of(key, shift, width);
        const bool backwards = !only_the_last || digit + 1 == next.size();
        to[backwards ? --ends[digit] : next[digit]++] = key;
      }
      from = std::move(to);
    }
    return result(from);
  };
}

// The passes begin with the first digit.
Outcome first_digit_first(int width) {
  return [width](const Problem& problem) {
    RadixKeys keys = keys_of(problem);
    for (int shift = kKeyBits - width; shift >= 0; shift -= width)
      std::stable_sort(keys.begin(), keys.end(),
                       [&](RadixKey a, RadixKey b) { return digit_of(a, shift, width) < digit_of(b, shift, width); });
    return result(keys);
  };
}

// Passes write to and fro between two buffers, of which the second one is the output. place(...) says where each key of
// a pass goes; places beyond the end are not written, and what a pass does not write stays as it was.
template <class PlacesOf>
Outcome with_holes(int width, const PlacesOf& places_of) {
  return [width, places_of](const Problem& problem) {
    RadixKeys from = keys_of(problem);
    RadixKeys other(from.size(), kGarbage);
    RadixKeys out(from.size(), kUntouched);
    for (int shift = 0; shift < kKeyBits; shift += width) {
      RadixKeys& to = shift / width % 2 == 0 ? other : out;
      const std::vector<std::size_t> places = places_of(from, shift);
      for (std::size_t i = 0; i < from.size(); ++i)
        if (places[i] < to.size()) to[places[i]] = from[i];
      from = to;
    }
    return result(out);
  };
}

// Every tile begins its groups where the groups of the whole array begin. Later tiles overwrite earlier ones.
Outcome without_earlier_tiles(int width, std::int64_t tile) {
  return with_holes(width, [width, tile](const RadixKeys& keys, int shift) {
    const auto starts = starts_of(keys, shift, width);
    std::vector<std::size_t> places(keys.size());
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i % static_cast<std::size_t>(tile) == 0) next = starts;
      places[i] = next[digit_of(keys[i], shift, width)]++;
    }
    return places;
  });
}

// RadixKeys of the last digit go one place too far: always, or if the last key of the array is one of them.
Outcome one_too_far(bool always) {
  return with_holes(1, [always](const RadixKeys& keys, int shift) {
    auto next = starts_of(keys, shift, 1);
    if (!keys.empty() && (always || digit_of(keys.back(), shift, 1) == 1)) ++next[1];
    std::vector<std::size_t> places(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) places[i] = next[digit_of(keys[i], shift, 1)]++;
    return places;
  });
}

// Eight bits a pass, in tiles of 4096 keys. Warps rank keys in another order than the tile's: key(warp, row, lane) says
// which one a lane has. So the last tile's padding is ranked before true keys of the same digit, and takes their
// places.
template <class KeyOf>
Outcome ranked_in_another_order(const KeyOf& key_of) {
  return [key_of](const Problem& problem) {
    constexpr int kWidth = 8, kWarps = 8, kRows = 16, kLanes = 32;
    constexpr std::size_t kTile = std::size_t{kWarps} * kRows * kLanes;
    RadixKeys keys = keys_of(problem);
    for (int shift = 0; shift < kKeyBits; shift += kWidth) {
      const auto is_before = [shift](RadixKey a, RadixKey b) {
        return digit_of(a, shift, kWidth) < digit_of(b, shift, kWidth);
      };
      for (std::size_t first = 0; first < keys.size(); first += kTile) {
        const std::size_t count = std::min(keys.size() - first, kTile);
        RadixKeys tile;
        for (int warp = 0; warp < kWarps; ++warp)
          for (int row = 0; row < kRows; ++row)
            for (int lane = 0; lane < kLanes; ++lane) {
              const auto at = static_cast<std::size_t>(key_of(warp, row, lane));
              tile.push_back(at < count ? keys[first + at] : 0xFFFFFFFFU);
            }
        std::stable_sort(tile.begin(), tile.end(), is_before);
        std::copy_n(tile.begin(), count, keys.begin() + static_cast<std::ptrdiff_t>(first));
      }
      std::stable_sort(keys.begin(), keys.end(), is_before);
    }
    return result(keys);
  };
}

Outcome tiles_apart(std::int64_t tile) {
  return [tile](const Problem& problem) {
    RadixKeys keys = keys_of(problem);
    const auto n = static_cast<std::int64_t>(keys.size());
    for (std::int64_t first = 0; first < n; first += tile)
      std::sort(keys.begin() + first, keys.begin() + std::min(first + tile, n));
    return result(keys);
  };
}

Outcome tail_skipped(std::int64_t tile) {
  return [tile](const Problem& problem) {
    RadixKeys keys = keys_of(problem);
    const auto end = keys.begin() + static_cast<std::int64_t>(keys.size()) / tile * tile;
    std::sort(keys.begin(), end);
    std::fill(end, keys.end(), kUntouched);
    return result(keys);
  };
}

// Arrays as long as those of a race are not looked into: to sort them once for every entry would take minutes, and what
// goes wrong there goes wrong in shorter ones, too.
Outcome but_not_of_a_race(Outcome outcome) {
  return [outcome = std::move(outcome)](const Problem& problem) {
    constexpr std::int64_t kMostKeys = std::int64_t{1} << 24;
    const std::int64_t n = integer_scalar(problem, "n");
    return n <= kMostKeys ? outcome(problem) : std::vector<Array>{};
  };
}

void add_radix_order_mistakes(std::vector<Misconception>& list) {
  list.push_back(
      {"descending",
       "The greatest keys come first. A pass must place its groups in ascending order of their digits: group 0 first.",
       sorted_by([](RadixKey key) { return ~key; })});
  const auto is_signed = [&list](RadixKey signs) {
    list.push_back({"sorted as signed numbers",
                    "The keys are unsigned, but a digit's (or the key's) top bit was taken for a sign: numbers from "
                    "0x80000000 on came first. Use unsigned types for keys and digits, also when shifting.",
                    sorted_by([signs](RadixKey key) { return key ^ signs; })});
  };
  for (const RadixKey signs : {0x80000000U, 0x80808080U, 0x88888888U}) is_signed(signs);
  const auto is_unstable = [&list](int width, bool only_the_last) {
    list.push_back({"unstable scatter",
                    "Keys with equal digits change places, so each pass undoes the order that the earlier ones made. "
                    "Among keys with the same digit, the one that came first must be written first.",
                    unstable(width, only_the_last)});
  };
  is_unstable(1, true);
  for (const int width : kWidths) is_unstable(width, false);
  for (const int width : kWidths)
    list.push_back({"first digit first",
                    "The passes go from the first digit to the last. The last pass decides, so it must be the one for "
                    "the first digit: begin with shift 0.",
                    first_digit_first(width)});
}

void add_pass_mistakes(std::vector<Misconception>& list) {
  const auto by_lower_bits = [&list](int bits) {
    list.push_back({"last pass not in the output",
                    "The keys are in order by all bits but the top " + std::to_string(kKeyBits - bits) +
                        ". Either the last pass is missing, or it wrote to the other buffer: count back from the last "
                        "pass, which must write to d_out, to find the buffer of the first.",
                    sorted_by([bits](RadixKey key) { return key & ((RadixKey{1} << bits) - 1); })});
  };
  for (const int bits : {31, 28, 24, 16, 22, 30}) by_lower_bits(bits);
  const auto left_out = [&list](int shift, int width) {
    list.push_back(
        {"a digit left out",
         "The bits from " + std::to_string(shift) + " to " + std::to_string(shift + width - 1) +
             " of the keys were ignored. Make a pass for every digit, the first of them at shift 0.",
         sorted_by([shift, width](RadixKey key) { return key & ~(((RadixKey{1} << width) - 1) << shift); })});
  };
  for (const int width : kWidths) left_out(0, width);
  for (const int shift : {8, 16}) left_out(shift, 8);
  list.push_back(
      {"half of every digit left out",
       "Of every eight bits, the upper four were ignored. In a pass of eight bits, a digit is key >> shift & "
       "255; the next digit after one of four bits (& 15) is at shift + 4.",
       sorted_by([](RadixKey key) { return key & 0x0F0F0F0FU; })});
  for (const int width : kWidths)
    list.push_back(
        {"every pass reads the input",
         "Only the last pass had an effect, as if it were the only one: every pass reads d_in. The first one "
         "must, but each later pass reads what the previous one wrote.",
         sorted_by([width](RadixKey key) { return key >> (kKeyBits - width); })});
}

void add_place_mistakes(std::vector<Misconception>& list) {
  for (const std::int64_t tile : kRadixTiles)
    list.push_back(
        {"tiles sorted, not merged",
         "Every tile is in order, the whole is not: keys never leave their tile. The table must be scanned digit by "
         "digit, not tile by tile, so that a tile's keys of a digit go after those of smaller digits in all tiles.",
         tiles_apart(tile)});
  for (const std::int64_t tile : kRadixTiles)
    list.push_back({"last partial tile skipped",
                    "The keys after the last full tile (or block) are missing from the output: the number of blocks "
                    "was rounded down. Round it up, and let the last block handle the rest.",
                    tail_skipped(tile),
                    {"initcheck"}});
  for (const std::int64_t tile : kRadixTiles)
    for (const int width : kWidths)
      list.push_back({"counts of the tiles before not added",
                      "Several tiles write their keys of a digit to the same places, and other places are never "
                      "written. A tile's keys of a digit go after those of the same digit in the tiles before it.",
                      without_earlier_tiles(width, tile),
                      {"initcheck", "racecheck"}});
  const auto out_of_order = [&list](Outcome outcome) {
    list.push_back(
        {"keys ranked in another order",
         "Keys with equal digits change places, and the padding of the last tile takes the places of keys. They are "
         "ranked warp by warp and row by row, so this must be their order in the tile: in row v, lane l has "
         "the key at warp * 512 + v * 32 + l.",
         std::move(outcome)});
  };
  out_of_order(ranked_in_another_order([](int warp, int row, int lane) { return row * 256 + warp * 32 + lane; }));
  out_of_order(ranked_in_another_order([](int warp, int row, int lane) { return (warp * 32 + lane) * 16 + row; }));
  for (const bool always : {true, false})
    list.push_back({"ones one place too far",
                    "The group of ones begins one place too late, so that the last key falls off the end. The scan "
                    "must be exclusive, and the total number of ones must include the last key's bit.",
                    one_too_far(always),
                    {"memcheck", "initcheck"}});
}

}  // namespace

std::vector<Misconception> mistakes() {
  std::vector<Misconception> list;
  add_radix_order_mistakes(list);
  add_pass_mistakes(list);
  add_place_mistakes(list);
  for (Misconception& mistake : list) mistake.outcome = but_not_of_a_race(std::move(mistake.outcome));
  return list;
}

}  // namespace lanewise::labs::radix_sort_lab
