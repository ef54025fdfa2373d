// All mistakes that the lab recognises.
#include "labs/spmv/misconceptions.h"

namespace lanewise::labs::spmv_lab {

std::vector<Misconception> mistakes() {
  std::vector<Misconception> list;
  for (const auto& part : {row_mistakes(), sum_mistakes(), lane_mistakes(), carry_mistakes(), precision_mistakes()})
    list.insert(list.end(), part.begin(), part.end());
  return list;
}

}  // namespace lanewise::labs::spmv_lab
