// The virtual GPU's own functions, of a virtual GPU whose report never fits.
#include <cstddef>
#include <cstring>

extern "C" {

void vgpuNameAllocation(const void* /*pointer*/, const char* /*name*/, unsigned /*element_bytes*/) {}
void vgpuSetReadOnly(const void* /*pointer*/) {}
void vgpuForgetContents(const void* /*pointer*/) {}
int vgpuSetMonitors(const char* /*list*/) { return 0; }
void vgpuCountAnew(int /*on*/) {}
void vgpuPinForCopies(void* /*pointer*/, std::size_t /*bytes*/) {}
void vgpuTimeAnew() {}
size_t vgpuCopyCounts(char* /*buffer*/, size_t capacity) { return capacity + 1; }
void vgpuSetInstructionBudget(unsigned long long /*warp_instructions*/) {}
void vgpuReportLeaks() {}
size_t vgpuTakeReport(char* /*buffer*/, size_t capacity) { return capacity + 1; }
int vgpuDescribePointer(const void* /*pointer*/, char* /*buffer*/, size_t /*capacity*/) { return 0; }
size_t vgpuRedZoneBytes() { return 4096; }
int vgpuReadMemory(void* to, const void* from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return 0;
}

}  // extern "C"
