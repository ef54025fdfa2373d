// The lab attention as the harness sees it: the softmax of rows, and attention of several heads.
#include "harness/lab/lab.h"

#include "labs/attention/heads.h"
#include "labs/attention/inputs.h"
#include "labs/attention/judge.h"
#include "labs/attention/mistakes.h"

namespace lanewise::labs {

Lab attention() {
  using namespace attention_lab;
  Task softmax;
  softmax.name = "softmax";
  softmax.make = &make_rows;
  softmax.oracle = [](const Problem& problem) { return std::vector<Array>{right_softmax(problem)}; };
  softmax.judge = &judge_softmax;
  softmax.resembles = &resembles;
  // Each element is read and written once; a subtraction, an exponential, an addition and a product each.
  softmax.work = [](const Problem& problem) {
    const auto count = static_cast<double>(element_count(problem.inputs.at(0)));
    return Work{2 * sizeof(float) * count, 4 * count};
  };
  softmax.misconceptions = softmax_mistakes();

  Task attention;
  attention.name = "attention";
  attention.make = &make_heads;
  attention.oracle = [](const Problem& problem) { return std::vector<Array>{right_attention(problem)}; };
  attention.judge = &judge_attention;
  attention.resembles = &resembles;
  // Three arrays are read once and one is written; two products of d multiplications and additions for each pair.
  attention.work = [](const Problem& problem) {
    const Heads heads(problem);
    const auto numbers = static_cast<double>(heads.heads * heads.n * heads.d);
    return Work{4 * sizeof(float) * numbers, 4 * numbers * static_cast<double>(heads.n)};
  };
  attention.misconceptions = attention_mistakes();
  return {"attention", {softmax, attention}};
}

}  // namespace lanewise::labs
