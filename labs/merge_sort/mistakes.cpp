// What typical mistakes in a merge sort give.
#include "labs/merge_sort/mistakes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::labs::merge_sort_lab {
namespace {

// Arrays as long as those of a race are not looked into: to sort them once for every entry would take minutes, and what
// goes wrong there goes wrong in shorter ones, too.
constexpr std::int64_t kMostKeys = std::int64_t{1} << 24;
constexpr std::int64_t kTiles[] = {2048, 1024, 4096, 8192, 512, 256, 1};  // keys that a block sorts, most likely first

using Key = std::int32_t;
using Keys = std::vector<Key>;
using Change = std::function<Keys(const Keys&)>;  // from the input to what comes out

constexpr Key repeated(std::byte byte) { return static_cast<Key>(std::to_integer<std::uint32_t>(byte) * 0x01010101U); }
constexpr Key kNeverWritten = repeated(kPoison);
constexpr Key kScratchAsFound = repeated(std::byte{0xCB});  // what the virtual GPU's memory holds when it is allocated
constexpr Key kCleared = 0;  // what memory of a GPU may hold, too, and what cudaMemset gives it

std::int64_t size(const Keys& keys) { return static_cast<std::int64_t>(keys.size()); }

// Merges it takes to make one run of n keys, one above the other, if blocks sort tiles of `tile` keys.
int levels_above(std::int64_t tile, std::int64_t n) {
  int levels = 0;
  while (tile << levels < n) ++levels;
  return levels;
}

// Every `run` keys in order, and no two runs merged: how far a merge sort is when its runs are that long.
Keys sorted_runs(Keys keys, std::int64_t run) {
  for (std::int64_t first = 0; first < size(keys); first += run)
    std::sort(keys.begin() + first, keys.begin() + std::min(first + run, size(keys)));
  return keys;
}

Keys sorted_wholly(Keys keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

// The keys as they are before the last level.
Keys before_the_last_level(const Keys& keys, std::int64_t tile) {
  std::int64_t run = tile;
  while (2 * run < size(keys)) run *= 2;
  return sorted_runs(keys, run);
}

// The first level writes to the same buffer whatever n is: after an odd number of levels (or after an even one, if the
// other buffer comes first) the result is in the scratch memory, and d_out holds what the level before left there.
Change in_the_other_buffer(std::int64_t tile, bool wrong_when_odd) {
  return [=](const Keys& keys) {
    const int levels = levels_above(tile, size(keys));
    if ((levels % 2 == 1) != wrong_when_odd) return sorted_wholly(keys);
    return levels == 0 ? Keys(keys.size(), kNeverWritten) : before_the_last_level(keys, tile);
  };
}

// The buffers are chosen as if the levels began with single keys.
Change levels_counted_from_single_keys(std::int64_t tile) {
  return [=](const Keys& keys) {
    const int levels = levels_above(tile, size(keys));
    if ((levels_above(1, size(keys)) - levels) % 2 == 0) return sorted_wholly(keys);
    return levels == 0 ? Keys(keys.size(), kNeverWritten) : before_the_last_level(keys, tile);
  };
}

// The buffer that is read stays the one with the tiles: after an even number of levels, it is d_out. After an odd one,
// d_out holds a merge of runs that are not in order, which depends on how it is searched: then no keys are given.
Change each_level_from_the_tiles(std::int64_t tile) {
  return [=](const Keys& keys) {
    const int levels = levels_above(tile, size(keys));
    if (levels <= 1) return sorted_wholly(keys);
    return levels % 2 == 0 ? sorted_runs(keys, tile) : Keys();
  };
}

// The buffers are right for all levels, of which the last is not launched: it would have written to d_out, where the
// level before the one before it did.
Change without_the_last_launch(std::int64_t tile) {
  return [=](const Keys& keys) {
    const int levels = levels_above(tile, size(keys));
    if (levels == 0) return sorted_wholly(keys);
    const int written = levels - 2;  // the last level that wrote to d_out; 0: the tiles, which single keys are not
    if (written < 0 || (written == 0 && tile == 1)) return Keys(keys.size(), kNeverWritten);
    return sorted_runs(keys, tile << written);
  };
}

// A run without a partner is not copied to the buffer that the others are merged into. There stands what was there
// before: what the scratch memory held at first, nothing at all, or what came from two levels below. What becomes of
// that in a merge depends on how it is searched, unless it happens to be in order: then no keys are given.
Change without_the_last_run(std::int64_t tile, Key scratch) {
  return [=](const Keys& keys) {
    const int levels = levels_above(tile, size(keys));
    Keys from = sorted_runs(keys, tile);
    Keys to(keys.size(), levels % 2 == 0 ? scratch : kNeverWritten);  // the tiles went to the other buffer
    for (int level = 0; level < levels; ++level) {
      const std::int64_t run = tile << level;
      for (std::int64_t first = 0; first + run < size(keys); first += 2 * run) {
        const auto left = from.begin() + first;
        const auto end = from.begin() + std::min(first + 2 * run, size(keys));
        if (!std::is_sorted(left, left + run) || !std::is_sorted(left + run, end)) return Keys();
        std::merge(left, left + run, left + run, end, to.begin() + first);
      }
      std::swap(from, to);
    }
    return from;
  };
}

// The last tile is filled up with a key that takes part, and of what comes out as many keys are stored as there were.
template <class Before>
Change padded(std::int64_t tile, Key padding, const Before& before) {
  return [=](Keys keys) {
    if (keys.empty()) return keys;
    const std::int64_t first = (size(keys) - 1) / tile * tile;
    Keys last(keys.begin() + first, keys.end());
    last.resize(static_cast<std::size_t>(tile), padding);
    std::sort(last.begin(), last.end(), before);
    std::copy_n(last.begin(), size(keys) - first, keys.begin() + first);
    std::sort(keys.begin(), keys.end(), before);
    return keys;
  };
}

// A key waits for those of the other run that are less, whichever run it is of: equal keys of both go to one place, and
// another one keeps what it held. From there on keys are searched that are not in order, and different ones go to one
// place, too: the last to be stored stays. A store for each kind of run: of a warp's keys, those of left runs are last.
Change with_shared_places(bool has_two_stores) {
  return [=](const Keys& keys) {
    constexpr std::int64_t kWarp = 32;
    const int levels = levels_above(1, size(keys));
    const bool begins_in_out = levels % 2 == 1;
    Keys from = keys;
    Keys to(keys.size(), begins_in_out ? kNeverWritten : kScratchAsFound);
    Keys other(keys.size(), begins_in_out ? kScratchAsFound : kNeverWritten);
    for (int level = 0; level < levels; ++level) {
      const std::int64_t run = std::int64_t{1} << level;
      const auto is_left = [run](std::int64_t k) { return k / run % 2 == 0; };
      const auto store = [&](std::int64_t k) {
        const std::int64_t own = k / run * run;
        const std::int64_t partner = std::min(is_left(k) ? own + run : own - run, size(from));
        const auto begin = from.begin() + partner;
        const auto end = from.begin() + std::min(partner + run, size(from));
        const Key key = from[static_cast<std::size_t>(k)];
        const std::int64_t before = std::lower_bound(begin, end, key) - begin;
        to[static_cast<std::size_t>(own / (2 * run) * (2 * run) + (k - own) + before)] = key;
      };
      for (std::int64_t first = 0; first < size(from); first += kWarp) {
        const std::int64_t end = std::min(first + kWarp, size(from));
        for (std::int64_t k = first; k < end; ++k)
          if (!has_two_stores || !is_left(k)) store(k);
        for (std::int64_t k = first; k < end; ++k)
          if (has_two_stores && is_left(k)) store(k);
      }
      if (level == 0) std::swap(from, other);
      std::swap(from, to);
    }
    return from;
  };
}

// One array, read and written at the same time: a merged key goes where one still waits to be read.
Change in_place(std::int64_t tile) {
  return [=](const Keys& keys) {
    Keys result = sorted_runs(keys, tile);
    for (std::int64_t run = tile; run < size(result); run *= 2)
      for (std::int64_t first = 0; first + run < size(result); first += 2 * run) {
        const std::int64_t end = std::min(first + 2 * run, size(result));
        Key* out = result.data();
        std::int64_t i = first;
        std::int64_t j = first + run;
        for (std::int64_t k = first; k < end; ++k) {
          const bool takes_left = j == end || (i < first + run && out[i] <= out[j]);
          out[k] = takes_left ? out[i++] : out[j++];
        }
      }
    return result;
  };
}

Change whole_tiles_only(std::int64_t tile) {
  return [=](const Keys& keys) {
    const std::int64_t whole = size(keys) / tile * tile;
    Keys result = sorted_wholly(Keys(keys.begin(), keys.begin() + whole));
    result.resize(keys.size(), kNeverWritten);
    return result;
  };
}

template <class Before>
Change by_another_order(const Before& before) {
  return [=](Keys keys) {
    std::stable_sort(keys.begin(), keys.end(), before);
    return keys;
  };
}

Misconception named(const char* name, const char* hint, Change change, std::set<std::string> seen_by = {}) {
  return {name, hint,
          [change = std::move(change)](const Problem& problem) {
            const Array& in = find_array(problem.inputs, "in");
            const std::int64_t n = element_count(in);
            if (n > kMostKeys) return std::vector<Array>{};
            Array out = make_array<Key>("out", {n});
            const Key* first = elements<Key>(in);
            const Keys result = change(Keys(first, first + n));
            if (size(result) != n) return std::vector<Array>{};
            std::copy(result.begin(), result.end(), elements<Key>(out));
            return std::vector<Array>{std::move(out)};
          },
          std::move(seen_by)};
}

void add_order_mistakes(std::vector<Misconception>& list) {
  const auto without_sign = [](Key a, Key b) { return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b); };
  const auto compared_without_sign = [&list](Change change) {
    list.push_back(named(
        "keys compared without their sign",
        "The negative keys come after all others, as they do when their bits are read as unsigned numbers. Keep keys "
        "in signed variables wherever they are compared.",
        std::move(change)));
  };
  compared_without_sign(by_another_order(without_sign));
  for (const std::int64_t tile : kTiles)
    if (tile > 1) compared_without_sign(padded(tile, std::numeric_limits<Key>::max(), without_sign));
  list.push_back(
      named("descending",
            "All keys are there, but from the greatest to the least. The smaller of the two next keys comes first.",
            by_another_order([](Key a, Key b) { return a > b; })));
  list.push_back(named("keys compared as floats",
                       "Large keys that are close together are out of order: a float has 24 significant bits, an int "
                       "has 31. Compare the keys as integers.",
                       by_another_order([](Key a, Key b) { return static_cast<float>(a) < static_cast<float>(b); })));
}

void add_level_mistakes(std::vector<Misconception>& list) {
  // In each case by itself, this looks like one of the next.
  for (const std::int64_t tile : kTiles)
    if (tile > 1)
      list.push_back(named(
          "levels counted from single keys",
          "The result is right, but not in d_out: the number of levels, which decides where the tiles go, is that of "
          "runs of one key. Count the levels above the tiles: 1 << levels is compared with the number of tiles, not "
          "with n.",
          levels_counted_from_single_keys(tile)));
  for (const bool wrong_when_odd : {true, false})
    for (const std::int64_t tile : kTiles) {
      if (tile == 1) continue;  // nearly always as for 256; and it would hide that a last level is missing
      list.push_back(named(
          "result left in the other buffer",
          "The result is right, but not in d_out: the levels alternate between two buffers, so where the last one "
          "writes depends on how many there are. Count them first, and choose the buffer of the first one accordingly.",
          in_the_other_buffer(tile, wrong_when_odd)));
    }
  for (const std::int64_t tile : kTiles)
    if (tile > 1)
      list.push_back(named("every level reads the tiles",
                           "Only one level had an effect: each one reads the buffer that the tiles went to. After "
                           "every launch, what it wrote becomes what the next one reads (d_from = d_to).",
                           each_level_from_the_tiles(tile)));
  const auto last_level_missing = [&list](std::int64_t tile) {
    list.push_back(named("last level missing",
                         "The output is two sorted runs, one after the other: the last merge is missing. Merge as long "
                         "as a run is shorter than n (run < n), not as long as a pair is (2 * run < n).",
                         [tile](const Keys& keys) {
                           return size(keys) <= tile ? sorted_wholly(keys) : before_the_last_level(keys, tile);
                         }));
  };
  last_level_missing(1);
  for (const std::int64_t tile : kTiles)
    if (tile > 1) last_level_missing(tile);
  for (const std::int64_t tile : kTiles)
    list.push_back(named("last level not launched",
                         "The level that should have written the result to d_out was never launched. The buffers are "
                         "chosen for one level more than the loop runs: merge as long as a run is shorter than n "
                         "(run < n), not as long as a pair is (2 * run < n).",
                         without_the_last_launch(tile), {"initcheck"}));
  for (const std::int64_t tile : kTiles)
    if (tile > 1)
      list.push_back(named("tiles sorted, not merged",
                           "Every tile is in order, the whole is not: nothing merges the tiles, or every level merges "
                           "runs of the same length. This takes one level for each doubling of the runs, each with a "
                           "launch of its own.",
                           [tile](const Keys& keys) { return sorted_runs(keys, tile); }));
  list.push_back(named("runs do not double",
                       "Every two keys are in order, but no more than that: each level merged runs of the same length. "
                       "It must merge runs twice as long as the level before it did.",
                       [](const Keys& keys) { return sorted_runs(keys, 2); }));
}

void add_border_mistakes(std::vector<Misconception>& list) {
  for (const Key scratch : {kScratchAsFound, kCleared})
    for (const std::int64_t tile : kTiles)
      list.push_back(named("run without a partner dropped",
                           "If the number of runs is odd, the last one has no partner. There is nothing to merge, but "
                           "its keys still have to be copied: the next level reads the other buffer.",
                           without_the_last_run(tile, scratch), {"initcheck"}));
  for (const std::int64_t tile : kTiles)
    if (tile > 1)
      list.push_back(named("zeros among the keys",
                           "There are zeros in the output that were not in the input, and the greatest keys of the "
                           "last tile are lost: the tile was padded with zeros, which were sorted among the keys. Pad "
                           "with a key that is never less than another one, or merge no more keys than there are.",
                           padded(tile, 0, std::less<>())));
  for (const std::int64_t tile : kTiles)
    if (tile > 1)
      list.push_back(named("last partial tile lost",
                           "The keys after the last full tile are missing, and their places were never written: the "
                           "number of tiles was rounded down. Round it up, and let the last tile be shorter.",
                           whole_tiles_only(tile), {"initcheck"}));
  for (const bool has_two_stores : {false, true})
    list.push_back(named("equal keys in the same place",
                         "Equal keys of both runs went to the same place, and other places stayed empty. A key of the "
                         "left run comes after the keys of the right one that are less (<), a key of the right run "
                         "after those of the left one that are less or equal (<=): one of the two searches needs the "
                         "equal sign.",
                         with_shared_places(has_two_stores), {"initcheck", "racecheck"}));
  for (const std::int64_t tile : {std::int64_t{1}, std::int64_t{2048}, std::int64_t{1024}})
    list.push_back(named("merged in place",
                         "Some keys are there twice, others are lost: merging overwrote keys that it had not read yet. "
                         "A level must read one buffer and write another one.",
                         in_place(tile), {"racecheck"}));
}

}  // namespace

std::vector<Misconception> mistakes() {
  std::vector<Misconception> list;
  add_order_mistakes(list);
  add_level_mistakes(list);
  add_border_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::merge_sort_lab
