// What the virtual GPU's libcudart offers beside the CUDA runtime API. Look these up with dlsym: NVIDIA's runtime has
// none of them, and a program that finds them knows that it runs on the virtual GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Names the device allocation that begins at `pointer`, so that findings can say "d_out[12]". `element_bytes` is the
/// size of one element, 0 if unknown. It counts as the caller's, not the program's: to free it costs no modelled time.
void vgpuNameAllocation(const void* pointer, const char* name, unsigned element_bytes);

/// Declares that kernels should only read the device allocation that begins at `pointer`: memcheck reports writes to
/// it. They take place all the same, as does every write of the host.
void vgpuSetReadOnly(const void* pointer);

/// Declares that what the device allocation that begins at `pointer` holds is of no use (a filling, say): initcheck
/// counts it as not written.
void vgpuForgetContents(const void* pointer);

/// Pins host memory of the caller's for copies alone: a kernel that touches it is at fault, as with memory that is not
/// pinned. Costs no modelled time. cudaHostUnregister ends it.
void vgpuPinForCopies(void* pointer, size_t bytes);

/// Who watches from the next launch on: "none", "all", or a comma-separated list such as "memcheck". Returns 0, or 1
/// when a name in the list is not known (nothing changes then). Counters, which "all" has, need a report file to go
/// into, or vgpuCountAnew.
int vgpuSetMonitors(const char* list);

/// Counters begin anew with the next launch, if they are among the monitors (`on`), or end if they have no report file
/// to go into.
void vgpuCountAnew(int on);

/// Modelled time is told from now on. vgpuCountAnew does that, too.
void vgpuTimeAnew(void);

/// Copies what was counted since then, as a report document without findings, patterns and timelines (README.md).
/// Returns its length in bytes; if that is more than `capacity`, nothing was copied.
size_t vgpuCopyCounts(char* buffer, size_t capacity);

/// Warp instructions one launch may execute before it is stopped as endless; 0 for the default.
void vgpuSetInstructionBudget(unsigned long long warp_instructions);

/// Moves out the findings gathered since the last call, as a JSON array without a terminating zero. Returns its length
/// in bytes, 0 if there are none; if that is more than `capacity`, nothing was moved and the call may be repeated. Each
/// finding: {tool, kind, kernel, file, line, block: [x,y,z], thread: [x,y,z], array, index, sentence, advice, count}.
size_t vgpuTakeReport(char* buffer, size_t capacity);

/// Adds a finding for device memory that the program allocated since the last call (or since it began) and has not
/// freed. Memory that was named with vgpuNameAllocation is the caller's own and not counted.
void vgpuReportLeaks(void);

/// Describes an address that host code tripped over ("element 12 of d_in, which is device memory"). Returns 1 and a
/// terminated phrase if it lies in device memory, 0 otherwise. Async-signal-safe.
int vgpuDescribePointer(const void* pointer, char* buffer, size_t capacity);

/// Whether the calling thread has a current context in the driver API; calls that need a device make one current. With
/// `leave`, it has none afterwards.
int vgpuContextInUse(int leave);

/// The allocation that an address of device memory lies in. cudaErrorInvalidValue if it lies in none.
cudaError_t vgpuAddressRange(const void* pointer, void** begin, size_t* bytes);

/// Fills rows with elements of 1, 2 or 4 bytes; the pitch is in bytes, the width in elements.
cudaError_t vgpuFill(void* pointer, size_t pitch, unsigned value, unsigned element_bytes, size_t width, size_t height,
                     cudaStream_t stream);

/// Does what is pending on all devices, if that can be done in one order only or `in_any_order` is set; the host goes
/// on meanwhile.
void vgpuRunPending(int in_any_order);

/// Where in the program calls come from until it is set anew: for libraries that call the runtime on its behalf. Null
/// for the place of each call itself. Returns what was set before. Only the runtimes with their devices apart have it.
const void* vgpuSetCallSite(const void* site);

/// Says that a call is not available. Returns cudaErrorNotSupported.
int vgpuRefuseCall(const char* name);

/// Copies a graph in the DOT language, without a terminating zero. Returns its length in bytes, 0 if there is no such
/// graph; if that is more than `capacity`, nothing was copied.
size_t vgpuGraphText(cudaGraph_t graph, char* buffer, size_t capacity);

/// The graph that a conditional node does, by its place among them: what cudaGraphAddNode returns in `phGraph_out`.
/// cudaErrorInvalidValue if there is no such node, or not so many bodies.
cudaError_t vgpuGraphBody(cudaGraphNode_t node, unsigned index, cudaGraph_t* body);

/// Bytes on both sides of every allocation that belong to nobody. Stray writes of a kernel stay there, to be seen.
size_t vgpuRedZoneBytes(void);

/// Copies device memory out, red zones included, where cudaMemcpy would refuse. Returns 0, or 1 if the range is not
/// part of the device's memory at all.
int vgpuReadMemory(void* to, const void* from, size_t bytes);

#ifdef __cplusplus
}
#endif
