// Hand-ins and verdicts that the tests make up, and the program they drive.
#pragma once

#include <string>
#include <vector>

#include "grader/store/store.h"

namespace lanewise {

inline StoredKey made_up_key(int number) { return {"scan", "hand-in " + std::to_string(number), "terms"}; }

/// Between nothing and some pages of 4 KiB: most do not fit the page of their row.
inline std::string made_up_json(int number) {
  return "{\"made up\":" + std::to_string(number) + "," + std::string(static_cast<std::size_t>(number) * 2500, 'x') +
         "}";
}

/// Marks of one transaction: all of them or none are there.
inline constexpr int kMadeUpMarks = 3;

inline std::vector<StoredMark> made_up_marks() {
  std::vector<StoredMark> marks;
  marks.reserve(kMadeUpMarks);
  for (int i = 0; i < kMadeUpMarks; ++i)
    marks.push_back({"student " + std::to_string(i), "scan", "why", "answer", 1, 4, std::string(1500, 'x')});
  return marks;
}

}  // namespace lanewise
