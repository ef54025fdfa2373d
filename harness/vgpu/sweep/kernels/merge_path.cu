// Stable merge: every block, and in it every thread, finds on the merge path where its share of the output begins.
#include "check.cuh"

constexpr int kThreads = 32;
constexpr int kItemsPerThread = 3;
constexpr int kItems = kThreads * kItemsPerThread;

struct Item {
  int key, value;
};

/// How many of the first `diagonal` outputs come from `a`; of equal keys those of `a` go first.
__device__ int merge_path(const Item* a, int a_count, const Item* b, int b_count, int diagonal) {
  int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle].key <= b[diagonal - 1 - middle].key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void merge(const Item* a, int a_count, const Item* b, int b_count, Item* out) {
  __shared__ int splits[2];
  __shared__ Item items[kItems];
  const int t = threadIdx.x, total = a_count + b_count;
  const int begin = blockIdx.x * kItems, end = min(begin + kItems, total);
  if (t < 2) splits[t] = merge_path(a, a_count, b, b_count, t == 0 ? begin : end);
  __syncthreads();
  const int a_begin = splits[0], a_here = splits[1] - splits[0];
  const int b_begin = begin - a_begin, b_here = end - begin - a_here;
  for (int i = t; i < a_here; i += kThreads) items[i] = a[a_begin + i];
  for (int i = t; i < b_here; i += kThreads) items[a_here + i] = b[b_begin + i];
  __syncthreads();

  const Item* const b_items = items + a_here;
  const int first = min(t * kItemsPerThread, end - begin);
  const int last = min(first + kItemsPerThread, end - begin);
  int from_a = merge_path(items, a_here, b_items, b_here, first), from_b = first - from_a;
  for (int i = first; i < last; ++i) {
    const bool takes_a = from_b >= b_here || (from_a < a_here && items[from_a].key <= b_items[from_b].key);
    out[begin + i] = takes_a ? items[from_a++] : b_items[from_b++];
  }
}

std::vector<Item> sorted_items(int count, int first_value, unsigned seed) {
  std::vector<Item> items;
  int key = 0;
  for (int step : numbers(count, 3, seed)) {
    key += step - 1;  // keys repeat, within and between the inputs
    items.push_back({key, first_value + static_cast<int>(items.size())});
  }
  return items;
}

bool test(int a_count, int b_count) {
  std::vector<Item> a = sorted_items(a_count, 0, 11), b = sorted_items(b_count, 10000, 12);
  std::vector<int> expected, got;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();)
    expected.push_back(j >= b.size() || (i < a.size() && a[i].key <= b[j].key) ? a[i++].value : b[j++].value);
  const DeviceArray<Item> d_a(a), d_b(b), d_out(expected.size());
  merge<<<(a_count + b_count + kItems - 1) / kItems, kThreads>>>(d_a.get(), a_count, d_b.get(), b_count, d_out.get());
  finish();
  for (const Item& item : d_out.values()) got.push_back(item.value);
  return is_right("values", got, expected);
}

int main() { return test(1, 1) && test(200, 131) && test(kItems, 2 * kItems) && test(3, 150) ? 0 : 1; }
