// expect: vec_add_device: right
// tries: to use registers that nobody has counted, by PTX of its own that ptxas has never seen
// says: requests, global reads: 125,000
// What its threads keep is counted in the PTX, and there is room for as many blocks as that leaves.

#include "vecadd.cuh"

#include <cstdint>
#include <string>

static constexpr int kThreads = 256;
static constexpr int kOfThread = 8;
static constexpr int kKept = 150;

// Each element is waited for by itself, while numbers are kept for whose sake no other block has room.
static std::string add_kernel() {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry add_kernel(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n)\n{\n"
      ".reg .pred %p<2>;\n.reg .b32 %r<4>, %kept<200>;\n.reg .f32 %f<4>;\n.reg .b64 %n, %i, %x<9>;\n"
      "ld.param.u64 %x1, [a];\nld.param.u64 %x2, [b];\nld.param.u64 %x3, [c];\nld.param.u64 %n, [n];\n"
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n";
  text += "mad.lo.u32 %r3, %r1, " + std::to_string(kThreads * kOfThread) + ", %r2;\ncvt.u64.u32 %i, %r3;\n";
  for (int k = 0; k < kKept; ++k)
    text += "mul.lo.u32 %kept" + std::to_string(k) + ", %r3, " + std::to_string(2 * k + 3) + ";\n";
  for (int k = 0; k < kOfThread; ++k) {
    const std::string next = "NEXT" + std::to_string(k);
    text += "setp.ge.u64 %p1, %i, %n;\nshl.b64 %x4, %i, 2;\nadd.u64 %x5, %x4, %x1;\nadd.u64 %x6, %x4, %x2;\n";
    text += "add.u64 %x7, %x4, %x3;\n@%p1 bra " + next + ";\nld.global.f32 %f1, [%x5];\nld.global.f32 %f2, [%x6];\n";
    text += "add.f32 %f3, %f1, %f2;\nst.global.f32 [%x7], %f3;\n" + next + ":\n";
    text += "add.u64 %i, %i, " + std::to_string(kThreads) + ";\n";
  }
  for (int k = 1; k < kKept; ++k) text += "xor.b32 %kept0, %kept0, %kept" + std::to_string(k) + ";\n";
  return text + "setp.ne.u32 %p1, %kept0, 123456789;\n@%p1 ret;\nst.global.u32 [%x3], %kept0;\nret;\n}\n";
}

extern "C" {
void** CUDARTAPI __cudaRegisterFatBinary(void* wrapper);
void CUDARTAPI __cudaRegisterFatBinaryEnd(void** handle);
void CUDARTAPI __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int limit,
                                      uint3*, uint3*, dim3*, dim3*, int*);
}

// As start-up code does with what nvcc has made, but without machine code.
static void register_kernel(const char* host) {
  static std::string text = add_kernel();
  text.resize((text.size() + 8) / 8 * 8);
  struct Header {
    std::uint32_t magic;
    std::uint16_t version, bytes;
    std::uint64_t payload;
  };
  struct Entry {
    std::uint16_t kind, version;
    std::uint32_t header;
    std::uint64_t bytes;
    std::uint32_t compressed, options;
    std::uint16_t minor, major;
    std::uint32_t architecture, name_offset, name_bytes;
    std::uint64_t flags, reserved, decompressed;
  };
  const Entry entry = {1, 0x101, sizeof entry, text.size(), 0, 0, 0, 9, 90, 0, 0, 0x11, 0, 0};
  const Header header = {0xBA55ED50, 1, sizeof header, sizeof entry + text.size()};
  static std::string binary;
  binary.append(reinterpret_cast<const char*>(&header), sizeof header);
  binary.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  binary += text;
  static struct {
    std::uint32_t magic, version;
    const void *data, *units;
  } wrapper = {0x466243B1, 1, binary.data(), nullptr};
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  char name[] = "add_kernel";
  __cudaRegisterFunction(handle, host, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static const char kHost = 0;
  static bool is_registered = false;
  if (!is_registered) register_kernel(&kHost);
  is_registered = true;
  constexpr std::size_t kOfBlock = kThreads * kOfThread;
  void* arguments[] = {&d_a, &d_b, &d_c, &n};
  if (n > 0)
    cudaLaunchKernel(&kHost, dim3(static_cast<unsigned>((n + kOfBlock - 1) / kOfBlock)), dim3(kThreads), arguments, 0,
                     nullptr);
}
