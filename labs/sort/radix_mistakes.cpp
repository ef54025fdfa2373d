// What typical mistakes in a radix sort give.
#include "labs/sort/radix_mistakes.h"

namespace lanewise::labs::sort_lab {

std::vector<Misconception> radix_mistakes() { return {}; }

}  // namespace lanewise::labs::sort_lab
