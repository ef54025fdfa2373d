// What a library computes for a program on the host, in the device's place: memory that it reads and writes, and how
// much work that is.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What becomes of an operand. One that is kept is copied to the program although it need not have been written: what a
/// factor in device memory multiplies, which may be zero, say. Of a square matrix, with its columns for rows, it may be
/// only a triangle with the diagonal that is read and written.
enum { kVgpuReads = 1, kVgpuWrites = 2, kVgpuKeeps = 4, kVgpuUpper = 8, kVgpuLower = 16 };

/// Rows of device memory, and where the program has a copy of them, one behind the other.
typedef struct {
  const void* device;
  void* host;
  size_t width, height, pitch;  ///< bytes, rows, bytes from one to the next
  unsigned access;              ///< a sum of these
} vgpuOperand;

typedef struct {
  char name[64];                  ///< "cublasSgemm"
  char library[32];               ///< "cuBLAS"
  unsigned long long bytes;       ///< that a GPU would move at least
  unsigned long long fp32, fp64;  ///< operations; a multiply-add counts as two
  const void* site;               ///< where the program called the library: the address that it returns to
  /// Of the program: text that `compute` leaves there if the device would have been at fault, 256 bytes.
  char* complaint;
} vgpuLibraryWork;

/// Queues `compute` in a stream as if it were a kernel. When its turn comes, what the operands read is copied to the
/// program, `compute(data)` is called there, and what they write is copied back. An operand that does not lie in memory
/// of the device gives cudaErrorInvalidValue, with a finding; one without a copy, cudaErrorMemoryAllocation. `compute`
/// may be called at any later time: what `data` and the operands' copies point to has to last until then.
cudaError_t vgpuRunLibrary(const vgpuLibraryWork* work, const vgpuOperand* operands, size_t count, cudaHostFn_t compute,
                           void* data, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
