// The lab radix_sort as the harness sees it: an array put in order by its digits.
#include "harness/lab/lab.h"

#include "labs/keys_to_sort.h"
#include "labs/radix_sort/mistakes.h"
#include "labs/radix_sort/radix_sort.cuh"

namespace lanewise::labs {

static_assert(kMaxKeys == static_cast<std::size_t>(keys_to_sort::kMostKeys));

Lab radix_sort() {
  return {"radix_sort", {keys_to_sort::task_with_unsigned_keys("radix_sort", radix_sort_lab::mistakes())}};
}

}  // namespace lanewise::labs
