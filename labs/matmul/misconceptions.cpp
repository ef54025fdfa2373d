// All mistakes that the lab recognises.
#include "labs/matmul/misconceptions.h"

namespace lanewise::labs::matmul_lab {

std::vector<Misconception> mistakes() {
  std::vector<Misconception> list;
  for (const auto& part : {sum_mistakes(), coverage_mistakes(), precision_mistakes()})
    list.insert(list.end(), part.begin(), part.end());
  return list;
}

}  // namespace lanewise::labs::matmul_lab
