// Writes sentences of words drawn by their rank.
#include "labs/histogram/text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "datasets/random.h"

namespace lanewise::labs::histogram_lab {
namespace {

// The most frequent English words, roughly in order, then some longer ones for the rarer letters.
constexpr std::string_view kWords[] = {
    "the",        "of",      "and",       "to",      "in",      "a",        "is",      "that",      "for",
    "it",         "was",     "on",        "are",     "as",      "with",     "be",      "at",        "by",
    "this",       "have",    "from",      "or",      "one",     "had",      "not",     "but",       "what",
    "all",        "were",    "when",      "we",      "there",   "can",      "an",      "your",      "which",
    "their",      "said",    "if",        "do",      "will",    "each",     "about",   "how",       "up",
    "out",        "them",    "then",      "she",     "many",    "some",     "so",      "these",     "would",
    "other",      "into",    "has",       "more",    "her",     "two",      "like",    "him",       "see",
    "time",       "could",   "no",        "make",    "than",    "first",    "been",    "its",       "who",
    "now",        "people",  "my",        "made",    "over",    "did",      "down",    "only",      "way",
    "find",       "use",     "may",       "water",   "long",    "little",   "very",    "after",     "words",
    "called",     "just",    "where",     "most",    "know",    "number",   "through", "back",      "much",
    "before",     "line",    "right",     "too",     "means",   "old",      "any",     "same",      "tell",
    "boy",        "follow",  "question",  "example", "exactly", "size",     "zero",    "job",       "subject",
    "square",     "box",     "quick",     "measure", "picture", "thousand", "between", "necessary", "machine",
    "difference", "against", "knowledge", "village",
};

std::string_view draw_word(Random& random) {
  // Rank r with a probability of about 1 / r: every octave of ranks is equally likely.
  for (;;) {
    const std::uint64_t size = std::uint64_t{1} << random.below(8);
    const std::uint64_t rank = size - 1 + random.below(size);
    if (rank < std::size(kWords)) return kWords[rank];
  }
}

std::string sentence(Random& random) {
  std::string text(draw_word(random));
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  const std::uint64_t words = 3 + random.below(15);
  for (std::uint64_t i = 1; i < words; ++i) {
    if (random.below(10) == 0) text += ',';
    text += random.below(11) == 0 ? '\n' : ' ';
    if (random.below(40) == 0)
      text += std::to_string(random.below(2000));
    else
      text += draw_word(random);
  }
  text += random.below(12) == 0 ? "?" : ".";
  text += random.below(5) == 0 ? "\n\n" : " ";
  return text;
}

}  // namespace

void write_text(std::uint8_t* text, std::int64_t length, std::uint64_t seed) {
  Random random(seed);
  while (length > 0) {
    const std::string next = sentence(random);
    const std::int64_t count = std::min(length, static_cast<std::int64_t>(next.size()));
    text = std::copy_n(next.begin(), count, text);
    length -= count;
  }
}

}  // namespace lanewise::labs::histogram_lab
