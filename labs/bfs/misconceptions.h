// The mistakes that are typical of breadth-first search in parallel, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::bfs_lab {

/// Entries with the same name are the same mistake made with other numbers, or in another form of the same program.
std::vector<Misconception> search_mistakes();

}  // namespace lanewise::labs::bfs_lab
