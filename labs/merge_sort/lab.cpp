// The lab merge_sort as the harness sees it: an array put in order by merging.
#include "harness/lab/lab.h"

#include "labs/keys_to_sort.h"
#include "labs/merge_sort/merge_sort.cuh"
#include "labs/merge_sort/mistakes.h"

namespace lanewise::labs {

static_assert(kMaxKeys == static_cast<std::size_t>(keys_to_sort::kMostKeys));

Lab merge_sort() {
  return {"merge_sort", {keys_to_sort::task_with_signed_keys("merge_sort", merge_sort_lab::mistakes())}};
}

}  // namespace lanewise::labs
