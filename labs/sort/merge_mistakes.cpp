// What typical mistakes in a merge sort give.
#include "labs/sort/merge_mistakes.h"

namespace lanewise::labs::sort_lab {

std::vector<Misconception> merge_mistakes() { return {}; }

}  // namespace lanewise::labs::sort_lab
