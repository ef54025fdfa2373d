// What host code does with device memory: copies of what nobody wrote, and what is never freed; some of it wrong, some
// of it right, each a function. Usage: host_side_patterns NAME
// Without a name, it prints all of them, each with what is to be reported: nothing, "note KIND" or "finding KIND".
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kThreads = 64;
constexpr int kElements = 4 * kThreads;
constexpr std::size_t kBytes = kElements * sizeof(int);

__device__ int here() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void number(int* out, int n) {
  if (here() < n) out[here()] = here();
}

__global__ void add_one(int* to, const int* from) { to[here()] = from[here()] + 1; }

__global__ void ignore(int* out, int* other) {
  if (out != nullptr) other[here()] = 1;
}

/// Keeps what is above a threshold; `count` is 0 before.
__global__ void keep(int* list, int* count, int threshold) {
  if (here() > threshold) list[atomicAdd(count, 1)] = here();
}

struct Tagged {
  char tag;
  int value;
};
__global__ void tag(Tagged* out) {
  out[here()].tag = 'a';
  out[here()].value = here();
}

struct Weighted {
  double weight;
  int value;
};
__global__ void weigh(Weighted* out) {
  out[here()].weight = 0.5;
  out[here()].value = here();
}

__global__ void rows(int* out, std::size_t pitch, int width) {
  auto* const row = reinterpret_cast<int*>(reinterpret_cast<char*>(out) + blockIdx.x * pitch);
  if (static_cast<int>(threadIdx.x) < width) row[threadIdx.x] = 1;
}

__global__ void take_from_heap() { *static_cast<volatile int*>(malloc(40)) = 1; }

__global__ void fault(int* out) { out[here() + (std::int64_t{1} << 40)] = 1; }

template <class T = int>
T* allocated(std::size_t bytes = kBytes) {
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  return static_cast<T*>(memory);
}

void copy_back(const void* from, std::size_t bytes = kBytes) {
  std::vector<char> host(bytes);
  cudaMemcpy(host.data(), from, bytes, cudaMemcpyDeviceToHost);
}

// --- copies of what was written ---

void written_by_all_threads() {
  int* const out = allocated();
  number<<<4, kThreads>>>(out, kElements);
  copy_back(out);
  cudaFree(out);
}

void filled_with_zeros() {
  int* const out = allocated();
  cudaMemset(out, 0, kBytes);
  copy_back(out);
  cudaFree(out);
}

void there_and_back() {
  const std::vector<int> host(kElements, 7);
  int* const out = allocated();
  cudaMemcpy(out, host.data(), kBytes, cudaMemcpyHostToDevice);
  copy_back(out);
  cudaFree(out);
}

void structures_with_a_gap() {
  auto* const out = allocated<Tagged>(kThreads * sizeof(Tagged));
  tag<<<1, kThreads>>>(out);
  copy_back(out, kThreads * sizeof(Tagged));
  cudaFree(out);
}

void structures_with_a_gap_at_their_end() {
  auto* const out = allocated<Weighted>(kThreads * sizeof(Weighted));
  weigh<<<1, kThreads>>>(out);
  copy_back(out, kThreads * sizeof(Weighted));
  cudaFree(out);
}

void as_much_of_a_list_as_there_is() {
  int *list = allocated(), *count = allocated(sizeof(int)), length = 0;
  cudaMemset(count, 0, sizeof(int));
  keep<<<4, kThreads>>>(list, count, kElements / 2);
  cudaMemcpy(&length, count, sizeof length, cudaMemcpyDeviceToHost);
  copy_back(list, static_cast<std::size_t>(length) * sizeof(int));
  cudaFree(list);
  cudaFree(count);
}

void written_and_copied_on_the_device() {
  int *const first = allocated(), *const second = allocated();
  number<<<4, kThreads>>>(first, kElements);
  cudaMemcpy(second, first, kBytes, cudaMemcpyDeviceToDevice);
  copy_back(second);
  cudaFree(first);
  cudaFree(second);
}

void rows_without_their_padding() {
  constexpr std::size_t kWidth = 40 * sizeof(int);
  void* pitched = nullptr;
  std::size_t pitch = 0;
  cudaMallocPitch(&pitched, &pitch, kWidth, 4);
  rows<<<4, kThreads>>>(static_cast<int*>(pitched), pitch, 40);
  char host[4 * kWidth];
  cudaMemcpy2D(host, kWidth, pitched, pitch, kWidth, 4, cudaMemcpyDeviceToHost);
  cudaFree(pitched);
}

void half_of_it_twice() {
  int* const out = allocated();
  number<<<4, kThreads>>>(out, kElements / 2);
  copy_back(out, kBytes / 2);
  number<<<4, kThreads>>>(out, kElements);
  copy_back(out);
  cudaFree(out);
}

// --- copies of variables that are refused ---

__constant__ int variable;

void variable_by_its_name() {
  int* const source = allocated(sizeof(int));
  cudaMemcpy(&variable, source, sizeof(int), cudaMemcpyDeviceToDevice);
  cudaFree(source);
}

void variable_from_the_device_without_a_direction() {
  int* const source = allocated(sizeof(int));
  cudaMemcpyToSymbol(variable, source, sizeof(int));
  cudaFree(source);
}

// --- copies that may be right ---

void room_of_a_list() {
  int *const list = allocated(), *const count = allocated(sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  keep<<<4, kThreads>>>(list, count, kElements / 2);
  copy_back(list);
  copy_back(count, sizeof(int));
  cudaFree(list);
  cudaFree(count);
}

void list_that_stayed_empty() {
  int *const list = allocated(), *const count = allocated(sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  keep<<<4, kThreads>>>(list, count, kElements);
  copy_back(list);
  copy_back(count, sizeof(int));
  cudaFree(list);
  cudaFree(count);
}

void rows_with_their_padding() {
  constexpr std::size_t kWidth = 40 * sizeof(int);
  void* pitched = nullptr;
  std::size_t pitch = 0;
  cudaMallocPitch(&pitched, &pitch, kWidth, 4);
  rows<<<4, kThreads>>>(static_cast<int*>(pitched), pitch, 40);
  copy_back(pitched, 4 * pitch);
  cudaFree(pitched);
}

void last_element_left_out() {
  int* const out = allocated();
  number<<<4, kThreads>>>(out, kElements - 1);
  copy_back(out);
  cudaFree(out);
}

// --- copies of what nobody wrote ---

void kernel_forgotten() {
  int* const out = allocated();
  copy_back(out);
  cudaFree(out);
}

void kernel_writes_another_array() {
  int *const out = allocated(), *const other = allocated();
  ignore<<<4, kThreads>>>(out, other);
  copy_back(out);
  cudaFree(out);
  cudaFree(other);
}

void guard_lets_nobody_in() {
  int* const out = allocated();
  number<<<4, kThreads>>>(out, 0);
  copy_back(out);
  cudaFree(out);
}

void copied_on_the_device_before_it_was_written() {
  int *const first = allocated(), *const second = allocated();
  cudaMemcpy(second, first, kBytes, cudaMemcpyDeviceToDevice);
  number<<<4, kThreads>>>(first, kElements);
  copy_back(second);
  cudaFree(first);
  cudaFree(second);
}

void rows_nobody_wrote() {
  int* const out = allocated();
  int host[8 * 16];
  cudaMemcpy2D(host, 16 * sizeof(int), out, 32 * sizeof(int), 16 * sizeof(int), 8, cudaMemcpyDeviceToHost);
  cudaFree(out);
}

void in_a_stream_to_pinned_memory() {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  int *host = nullptr, *const out = allocated();
  cudaMallocHost(&host, kBytes);
  cudaMemcpyAsync(host, out, kBytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaFree(out);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
}

void result_of_a_kernel_that_was_refused() {  // which the runtime reports as well
  int *const in = allocated(), *const out = allocated();
  number<<<4, kThreads>>>(in, kElements);
  add_one<<<1, 4 * 1024>>>(out, in);
  copy_back(in);
  copy_back(out);
  cudaFree(in);
  cudaFree(out);
}

void allocated_anew() {
  int* out = allocated();
  number<<<4, kThreads>>>(out, kElements);
  cudaFree(out);
  out = allocated();
  copy_back(out);
  cudaFree(out);
}

void volume_nobody_wrote() {
  cudaPitchedPtr volume{};
  const cudaExtent extent{16, 4, 3};
  cudaMalloc3D(&volume, extent);
  char host[16 * 4 * 3];
  cudaMemcpy3DParms copy{};
  copy.srcPtr = volume;
  copy.dstPtr = {host, 16, 16, 4};
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  cudaFree(volume.ptr);
}

void piece_by_piece() {
  int* const out = allocated();
  for (int piece = 0; piece < 4; ++piece) copy_back(out + piece * kThreads, kThreads * sizeof(int));
  cudaFree(out);
}

// --- everything is freed ---

void freed_in_a_stream() {
  void* memory = nullptr;
  cudaMallocAsync(&memory, kBytes, nullptr);
  cudaFreeAsync(memory, nullptr);
}

/// A graph that allocates, numbers what it has, and frees it if it is to.
int* numbering_graph(cudaStream_t stream, bool numbers, bool frees, cudaGraphExec_t& exec) {
  int* memory = nullptr;
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(reinterpret_cast<void**>(&memory), kBytes, stream);
  if (numbers) number<<<4, kThreads, 0, stream>>>(memory, kElements);
  if (frees) cudaFreeAsync(memory, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphDestroy(graph);
  return memory;
}

void freed_in_a_graph() {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  numbering_graph(stream, true, true, exec);
  cudaGraphLaunch(exec, stream);
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
}

void of_a_graph_freed_outside() {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  int* const memory = numbering_graph(stream, true, false, exec);
  copy_back(memory);
  cudaFreeAsync(memory, stream);
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
}

void every_kind_freed() {
  void *managed = nullptr, *pinned = nullptr;
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocManaged(&managed, kBytes);
  cudaMallocHost(&pinned, kBytes);
  cudaMallocArray(&array, &format, 16, 16);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFreeArray(array);
}

void every_handle_destroyed() {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaGraphCreate(&graph, 0);
  cudaGraphDestroy(graph);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

void streams_that_nobody_created() {
  int* const out = allocated();
  cudaMemsetAsync(out, 0, kBytes, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaFree(out);
}

void reset_after_freeing() {
  cudaFree(allocated());
  cudaDeviceReset();
}

/// Nothing can be freed any more.
void broken_device() {
  int* const out = allocated();
  fault<<<1, 1>>>(nullptr);
  cudaFree(out);
}

// --- something is not ---

void not_freed() { allocated(); }

void not_freed_in_a_loop() {
  for (int n = 0; n < 10; ++n) allocated();
}

void managed_not_freed() {
  void* managed = nullptr;
  cudaMallocManaged(&managed, kBytes);
}

void pinned_not_freed() {
  void* pinned = nullptr;
  cudaHostAlloc(&pinned, kBytes, cudaHostAllocDefault);
}

void pool_memory_not_freed() {
  void* memory = nullptr;
  cudaMallocAsync(&memory, kBytes, nullptr);
}

void graph_memory_not_freed() {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  numbering_graph(stream, true, false, exec);
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
}

/// The second launch allocates it anew, and nobody numbers it then.
void graph_memory_of_the_launch_before() {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  int* const memory = numbering_graph(stream, false, false, exec);
  number<<<4, kThreads, 0, stream>>>(memory, kElements);
  cudaFreeAsync(memory, stream);
  cudaGraphLaunch(exec, stream);
  copy_back(memory);
  cudaFreeAsync(memory, stream);
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
}

void graph_memory_after_its_last_node() {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  int* const out = allocated();
  cudaStreamCreate(&stream);
  int* const memory = numbering_graph(stream, true, true, exec);
  add_one<<<4, kThreads, 0, stream>>>(out, memory);
  cudaGraphLaunch(exec, stream);
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
  cudaFree(out);
}

void array_not_freed() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 16, 16);
}

void mipmapped_array_not_freed() {
  cudaMipmappedArray_t mipmapped = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(128, 4, 0), 2);
}

void reset_instead_of_freeing() {
  allocated();
  cudaDeviceReset();
}

void heap_not_freed() {
  take_from_heap<<<1, 4>>>();
  cudaDeviceSynchronize();
}

void many_sizes_not_freed() {
  for (std::size_t n = 1; n <= 30; ++n) allocated(n * 100);
}

void handles_not_destroyed() {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
}

struct Pattern {
  const char* name;
  void (*run)();
  const char* reported;
};
#define PATTERN(function, reported) \
  { #function, function, reported }
constexpr const char* kPartly = " note partly uninitialised copy to the host";
constexpr const char* kEmpty = " note uninitialised copy to the host";
constexpr const char* kNothing = " finding uninitialised copy to the host";
constexpr const char* kLeak = " note leak";
const Pattern kPatterns[] = {
    PATTERN(written_by_all_threads, ""),
    PATTERN(filled_with_zeros, ""),
    PATTERN(there_and_back, ""),
    PATTERN(structures_with_a_gap, ""),
    PATTERN(structures_with_a_gap_at_their_end, ""),
    PATTERN(as_much_of_a_list_as_there_is, ""),
    PATTERN(written_and_copied_on_the_device, ""),
    PATTERN(rows_without_their_padding, ""),
    PATTERN(half_of_it_twice, ""),
    PATTERN(variable_by_its_name, ""),
    PATTERN(variable_from_the_device_without_a_direction, ""),
    PATTERN(room_of_a_list, kPartly),
    PATTERN(list_that_stayed_empty, kEmpty),
    PATTERN(rows_with_their_padding, kPartly),
    PATTERN(last_element_left_out, kPartly),
    PATTERN(kernel_forgotten, kNothing),
    PATTERN(kernel_writes_another_array, kNothing),
    PATTERN(guard_lets_nobody_in, kNothing),
    PATTERN(copied_on_the_device_before_it_was_written, kNothing),
    PATTERN(rows_nobody_wrote, kNothing),
    PATTERN(in_a_stream_to_pinned_memory, kNothing),
    PATTERN(result_of_a_kernel_that_was_refused, kNothing),
    PATTERN(allocated_anew, kNothing),
    PATTERN(volume_nobody_wrote, kNothing),
    PATTERN(piece_by_piece, kNothing),
    PATTERN(freed_in_a_stream, ""),
    PATTERN(freed_in_a_graph, ""),
    PATTERN(of_a_graph_freed_outside, ""),
    PATTERN(every_kind_freed, ""),
    PATTERN(every_handle_destroyed, ""),
    PATTERN(streams_that_nobody_created, ""),
    PATTERN(reset_after_freeing, ""),
    PATTERN(broken_device, ""),
    PATTERN(not_freed, kLeak),
    PATTERN(not_freed_in_a_loop, kLeak),
    PATTERN(managed_not_freed, kLeak),
    PATTERN(pinned_not_freed, kLeak),
    PATTERN(pool_memory_not_freed, kLeak),
    PATTERN(graph_memory_not_freed, kLeak),
    PATTERN(graph_memory_of_the_launch_before, kNothing),
    PATTERN(graph_memory_after_its_last_node, " finding use after free (read)"),
    PATTERN(array_not_freed, kLeak),
    PATTERN(mipmapped_array_not_freed, kLeak),
    PATTERN(reset_instead_of_freeing, kLeak),
    PATTERN(heap_not_freed, kLeak),
    PATTERN(many_sizes_not_freed, kLeak),
    PATTERN(handles_not_destroyed, " note not destroyed"),
};

}  // namespace

int main(int argc, char** argv) {
  for (const Pattern& pattern : kPatterns) {
    if (argc < 2) std::printf("%s%s\n", pattern.name, pattern.reported);
    if (argc >= 2 && std::strcmp(argv[1], pattern.name) == 0) pattern.run();
  }
  return 0;
}
