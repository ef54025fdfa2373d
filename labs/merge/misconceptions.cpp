// What typical mistakes in merging two arrays give.
#include "labs/merge/misconceptions.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "labs/merge/arrays.h"

namespace lanewise::labs::merge_lab {
namespace {

constexpr std::int64_t kSegments[] = {8, 4, 16, 1};         // outputs a thread, the most likely first
constexpr std::int64_t kTiles[] = {2048, 1024, 4096, 256};  // outputs a block, likewise

using Outcome = std::function<std::vector<Array>(const Problem&)>;
using GoesFirst = bool (*)(std::int32_t of_a, std::int32_t of_b);
using CoRank = std::int64_t (*)(std::int64_t k, const Inputs& in, GoesFirst goes_first);

bool not_greater(std::int32_t of_a, std::int32_t of_b) { return of_a <= of_b; }
bool not_greater_as_float(std::int32_t of_a, std::int32_t of_b) {
  return static_cast<float>(of_a) <= static_cast<float>(of_b);
}
bool not_greater_unsigned(std::int32_t of_a, std::int32_t of_b) {
  return static_cast<std::uint32_t>(of_a) <= static_cast<std::uint32_t>(of_b);
}
bool not_less(std::int32_t of_a, std::int32_t of_b) { return of_a >= of_b; }

std::int64_t searched(std::int64_t k, const Inputs& in, GoesFirst goes_first) {
  std::int64_t low = std::max<std::int64_t>(0, k - in.n);
  std::int64_t high = std::min(k, in.m);
  while (low < high) {
    const std::int64_t i = low + (high - low) / 2;
    if (goes_first(in.a[i], in.b[k - 1 - i]))
      low = i + 1;
    else
      high = i;
  }
  return low;
}

// Both borders move past the guess: the guess itself may have been the answer.
std::int64_t searched_past_the_answer(std::int64_t k, const Inputs& in, GoesFirst goes_first) {
  std::int64_t low = std::max<std::int64_t>(0, k - in.n);
  std::int64_t high = std::min(k, in.m);
  while (low < high) {
    const std::int64_t i = low + (high - low) / 2;
    if (goes_first(in.a[i], in.b[k - 1 - i]))
      low = i + 1;
    else
      high = i - 1;
  }
  return low;
}

std::int64_t right_co_rank(std::int64_t k, const Inputs& in, GoesFirst) { return co_rank(k, in); }

Array never_written(const Problem& problem) {
  const Inputs in = inputs_of(problem);
  Array array = make_array<std::int32_t>("out", {in.m + in.n});
  std::fill(array.bytes.begin(), array.bytes.end(), kPoison);
  return array;
}

// Every `segment` outputs are merged by a thread of their own, from the co-rank of the first of them on.
Outcome by_segments(std::int64_t segment, CoRank co_rank_of, GoesFirst goes_first) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = never_written(problem);
    std::int32_t* out = elements<std::int32_t>(result);
    for (std::int64_t first = 0; first < in.m + in.n; first += segment) {
      std::int64_t i = co_rank_of(first, in, goes_first);
      std::int64_t j = first - i;
      for (std::int64_t k = first; k < std::min(first + segment, in.m + in.n); ++k) {
        if (i < in.m && (j >= in.n || goes_first(in.a[i], in.b[j])))
          out[k] = in.a[i++];
        else if (j < in.n)
          out[k] = in.b[j++];
      }
    }
    return {std::move(result)};
  };
}

// The right result where `is_written(problem's inputs, k, key)`, the poison elsewhere.
template <class IsWritten>
Outcome partly(const IsWritten& is_written) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = merged(problem);
    std::int32_t* out = elements<std::int32_t>(result);
    const Array blank = never_written(problem);
    const std::int32_t* nothing = elements<std::int32_t>(blank);
    for (std::int64_t k = 0; k < in.m + in.n; ++k)
      if (!is_written(in, k, out[k])) out[k] = nothing[k];
    return {std::move(result)};
  };
}

// Every `segment` outputs are merged from the pieces of A and B that they are made of. When one piece runs out, what
// is left of the other is copied only if `keeps_a` or `keeps_b` says so. Segment 0: one for the whole.
Outcome without_rest(std::int64_t segment, bool keeps_a, bool keeps_b) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = never_written(problem);
    std::int32_t* out = elements<std::int32_t>(result);
    const std::int64_t step = segment == 0 ? std::max<std::int64_t>(1, in.m + in.n) : segment;
    for (std::int64_t k = 0; k < in.m + in.n;) {
      const std::int64_t end = std::min(k + step, in.m + in.n);
      std::int64_t i = co_rank(k, in);
      std::int64_t j = k - i;
      const std::int64_t i_end = co_rank(end, in);
      const std::int64_t j_end = end - i_end;
      while (i < i_end && j < j_end) out[k++] = in.a[i] <= in.b[j] ? in.a[i++] : in.b[j++];
      if (keeps_a) std::copy(in.a + i, in.a + i_end, out + k);
      if (keeps_b) std::copy(in.b + j, in.b + j_end, out + k);
      k = end;
    }
    return {std::move(result)};
  };
}

// Piece number p of A is merged with piece number p of B, whatever is in them.
Outcome by_pieces_of_equal_length(std::int64_t piece) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = never_written(problem);
    std::int32_t* out = elements<std::int32_t>(result);
    for (std::int64_t first = 0; first < std::max(in.m, in.n); first += piece) {
      const std::int64_t i = std::min(first, in.m);
      const std::int64_t j = std::min(first, in.n);
      std::merge(in.a + i, in.a + std::min(first + piece, in.m), in.b + j, in.b + std::min(first + piece, in.n),
                 out + i + j);
    }
    return {std::move(result)};
  };
}

// Every element goes to its own place plus the number of elements of the other array before it, and for that number
// both sides ask the same question: less, or not greater.
Outcome by_ranks(bool counts_equal_ones) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = never_written(problem);
    std::int32_t* out = elements<std::int32_t>(result);
    const auto scatter = [&](const std::int32_t* own, std::int64_t count, const std::int32_t* other,
                             std::int64_t other_count) {
      std::int64_t before = 0;  // elements of the other array
      for (std::int64_t i = 0; i < count; ++i) {
        while (before < other_count && (counts_equal_ones ? other[before] <= own[i] : other[before] < own[i])) ++before;
        out[i + before] = own[i];
      }
    };
    scatter(in.a, in.m, in.b, in.n);
    scatter(in.b, in.n, in.a, in.m);
    return {std::move(result)};
  };
}

Outcome concatenated(bool a_first) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const Inputs in = inputs_of(problem);
    Array result = never_written(problem);
    std::int32_t* out = elements<std::int32_t>(result);
    std::copy_n(in.a, in.m, out + (a_first ? 0 : in.n));
    std::copy_n(in.b, in.n, out + (a_first ? in.m : 0));
    return {std::move(result)};
  };
}

void add_coverage_mistakes(std::vector<Misconception>& list) {
  const auto skipped = [&list](std::int64_t piece) {
    list.push_back({"last partial segment or tile skipped",
                    "The outputs after the last full segment (or tile) were never written: the number of threads or "
                    "blocks was rounded down. Round it up, and let the last one handle the rest.",
                    partly([piece](const Inputs& in, std::int64_t k, std::int32_t) {
                      return k < (in.m + in.n) / piece * piece;
                    })});
  };
  for (const std::int64_t tile : kTiles) skipped(tile);
  for (const std::int64_t segment : kSegments)
    if (segment > 1) skipped(segment);
  for (const std::int64_t tile : kTiles)
    list.push_back({"only the first tile merged",
                    "Only as many outputs as one block produces were written. Either the grid has a single block, or "
                    "every block works on the same tile, or the loop over a block's tiles ends after the first.",
                    partly([tile](const Inputs&, std::int64_t k, std::int32_t) { return k < tile; }),
                    {"racecheck"}});
}

void add_rest_mistakes(std::vector<Misconception>& list) {
  const auto lost = [&list](const char* name, const char* hint, bool keeps_a, bool keeps_b) {
    list.push_back({name, hint, without_rest(0, keeps_a, keeps_b)});
    for (const std::int64_t segment : kSegments)
      if (segment > 1) list.push_back({name, hint, without_rest(segment, keeps_a, keeps_b)});
  };
  lost("rest of A lost",
       "When B ran out, the rest of A was never copied. The merge continues after the end of B: take from A whenever j "
       "has reached its end.",
       false, true);
  lost("rest of B lost",
       "When A ran out, the rest of B was never copied. The merge continues after the end of A: take from B whenever i "
       "has reached its end.",
       true, false);
  lost("rest lost",
       "Merging stopped when one of the two inputs ran out, and the rest of the other was never copied. Handle both "
       "cases, in the loop or after it: A used up, and B used up.",
       false, false);
}

void add_search_mistakes(std::vector<Misconception>& list) {
  list.push_back({"ties counted with < on both sides",
                  "Equal keys of A and B went to the same place, and the last places of each run of equal keys stayed "
                  "empty. An element of A comes after the keys of B that are less (<); an element of B comes after "
                  "the keys of A that are less or equal (<=). One of the two searches needs the equal sign.",
                  by_ranks(false),
                  {"racecheck"}});
  list.push_back({"ties counted with <= on both sides",
                  "Equal keys of A and B went to the same place, and the first places of each run of equal keys stayed "
                  "empty. An element of B comes after the keys of A that are less or equal (<=); an element of A comes "
                  "after the keys of B that are less (<) only.",
                  by_ranks(true),
                  {"racecheck"}});
  for (const std::int64_t segment : kSegments)
    list.push_back(
        {"co-rank search moves past the answer",
         "Some co-ranks are one too small, so that at the borders of segments a key of A appears twice and one of B is "
         "lost. After a guess i that is not too small, i itself is still possible: high = i, not i - 1.",
         by_segments(segment, &searched_past_the_answer, &not_greater)});
  const auto cut = [&list](std::int64_t piece) {
    list.push_back(
        {"inputs cut without looking at the keys",
         "Pieces of equal length of A and B were merged with one another, which sorts each piece of the output but not "
         "the whole. Which parts of A and B make up a piece of the output depends on the keys; the co-rank says which.",
         by_pieces_of_equal_length(piece)});
  };
  for (const std::int64_t tile : kTiles) cut(tile / 2);
  for (const std::int64_t segment : kSegments)
    if (segment > 1) cut(segment / 2);
}

void add_key_mistakes(std::vector<Misconception>& list) {
  list.push_back(
      {"INT_MAX taken for the end",
       "Every key is right except the greatest possible one, 2147483647, which was never written: it was mistaken for "
       "an end marker. No value is free to mark an end; compare positions with m and n instead.",
       partly([](const Inputs&, std::int64_t, std::int32_t key) {
         return key != std::numeric_limits<std::int32_t>::max();
       })});
  // Rounding to floats keeps the order of keys that stay different, so the number of outputs a thread does not show.
  list.push_back({"keys compared as floats",
                  "Large keys that are close together are out of order: a float has 24 significant bits, an int has "
                  "31. Compare the keys as integers.",
                  by_segments(8, &searched, &not_greater_as_float)});
  for (const std::int64_t segment : kSegments)
    list.push_back({"keys compared without their sign",
                    "Negative keys come after positive ones, as they do when their bits are read as unsigned numbers.",
                    by_segments(segment, &searched, &not_greater_unsigned)});
  for (const std::int64_t segment : kSegments)
    list.push_back(
        {"larger key taken first",
         "The larger of the two next keys was taken each time. In ascending order, the smaller one comes first.",
         by_segments(segment, &right_co_rank, &not_less)});
  for (const bool a_first : {true, false})
    list.push_back({"copied one after the other",
                    "The output holds one array and then the other. All keys are there, but they were not merged.",
                    concatenated(a_first)});
}

}  // namespace

std::vector<Misconception> merge_mistakes() {
  std::vector<Misconception> list;
  add_rest_mistakes(list);
  add_search_mistakes(list);
  add_key_mistakes(list);
  add_coverage_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::merge_lab
