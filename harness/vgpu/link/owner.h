// The owner's end: who started the process of the devices places arrays there, says what is watched, and is the only
// one to hear what was seen. It answers nothing that it is asked: what that process says is read, not obeyed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/vgpu/link/socket.h"

namespace vgpu::link {

/// What an owner may ask for. Each is answered by a Reply that begins with an error of errno's, 0 for none.
enum class OwnerCall : std::uint16_t {
  kHello,           ///< comes first, with the socket of the program; answered by the staging memory
  kMonitors,        ///< a list, as vgpuSetMonitors takes it
  kAllocate,        ///< an OwnedArray, and its name
  kRelease,         ///< an address
  kWrite,           ///< a range: what staging memory holds goes there
  kFill,            ///< a range and a byte: what lies there is of no use to anybody
  kRead,            ///< a range, which may lie outside allocations: staging memory then holds it
  kBegin,           ///< a Beginning: the program's turn
  kFreeze,          ///< the program's calls wait from now on
  kCounts,          ///< staging memory then holds a report document; its length is returned
  kFindings,        ///< leaks included; likewise
  kDependsOnOrder,  ///< whether what kernels do may depend on which block comes first
  kDescribe,        ///< an address; the parts of a DescribedAddress are returned
};

struct OwnedArray {
  std::uint64_t bytes;
  std::uint32_t element_bytes;
  std::uint8_t is_read_only;
};

struct OwnedRange {
  std::uint64_t address, bytes;
};

struct Beginning {
  std::uint64_t instruction_budget;  ///< of a launch; 0: the default
  std::uint64_t schedule_seed;       ///< 0: blocks and warps run in their natural order; else blocks only begin in it
  std::uint8_t counts_anew;
};

/// What lies at an address.
struct DescribedAddress {
  std::string text;          ///< "element 12 of d_in"; empty if the address is not in device memory
  std::string allocation;    ///< what `text` calls memory that has no name: "a device allocation of 400 bytes"
  std::string object;        ///< path of the file whose code allocated that memory; empty: unknown
  std::uint64_t offset = 0;  ///< of the call in that file
};

/// Not thread-safe. Everything fails once the process is gone or has not answered in time.
class Owner {
 public:
  /// Takes the socket over.
  explicit Owner(int socket) : socket_(socket) {}
  ~Owner();
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  /// How long an answer may take from now on.
  void set_patience(std::chrono::milliseconds patience) const;

  /// `program` is the other end of what the program calls through.
  bool hello(int program);
  bool set_monitors(const std::string& list);
  /// The address, or 0. Kernels are not meant to write to what `is_read_only`.
  std::uint64_t allocate(const std::string& name, const OwnedArray& array);
  bool release(std::uint64_t address);
  bool write(std::uint64_t address, const std::byte* from, std::uint64_t bytes);
  bool fill(std::uint64_t address, std::uint8_t value, std::uint64_t bytes);
  bool read(std::byte* to, std::uint64_t address, std::uint64_t bytes);
  bool begin(const Beginning& beginning);
  bool freeze();
  /// False if there are none, or more than staging memory holds.
  bool counts(std::string& text);
  bool findings(std::string& text);
  /// See Racecheck and Timeline::has_unordered_work; also if that cannot be told.
  bool depends_on_order();
  DescribedAddress describe(std::uint64_t address);

 private:
  bool call(OwnerCall call, const Writer& arguments, int descriptor = -1);
  bool text_of(OwnerCall call, std::string& text);

  int socket_;
  bool is_lost_ = false;
  std::byte* staging_ = nullptr;
  Packet reply_;
  Reader result_;  ///< of the last call
};

}  // namespace vgpu::link
