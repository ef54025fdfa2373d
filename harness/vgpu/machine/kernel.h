// A kernel made ready to run: its code and that of every function it can reach, and the layout of its shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/decoder.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// A __shared__ array as a kernel sees it.
struct SharedArray {
  std::string name;          ///< mangled, as in the PTX
  std::uint32_t offset = 0;  ///< shared address
  std::uint32_t bytes = 0;   ///< 0 for the dynamic array
};

class Kernel {
 public:
  /// Shared addresses begin here, as on the hardware: a shared pointer that is null by mistake is told from one that is
  /// not.
  static constexpr std::uint32_t kSharedBase = 1024;

  /// Of the bytes before that, which the hardware keeps for itself, the second half is scratch memory for cooperative
  /// groups of several warps. It is zero when a block begins, and there for kernels that ask where it is.
  static constexpr std::uint32_t kGroupScratch = 512;

  /// Unowned bytes behind each __shared__ array, so that running over its end is seen. A multiple of a bank row: banks
  /// of the arrays that follow do not change.
  static constexpr std::uint32_t kSharedRedZone = 128;

  /// Throws Refusal. `addresses` are those of the module's variables and functions.
  Kernel(const ptx::Module& module, const ptx::Function& function,
         const std::map<std::string, std::uint64_t, std::less<>>& addresses, bool monitored);

  const ptx::Function& function() const { return *function_; }
  /// "blur(unsigned char const*, ...)".
  const std::string& readable_name() const { return readable_name_; }
  const ptx::Module& module() const { return module_; }
  /// Of the module's text: kernels with the same name and fingerprint are the same, wherever they are loaded.
  std::size_t fingerprint() const { return fingerprint_; }
  const Code& code() const { return *codes_.at(function_); }
  /// The code of all functions, each once, in the order in which their instructions are numbered.
  std::vector<const Code*> all_code() const;
  /// The function at a device address; null if there is none.
  const Code* code_at(std::uint64_t address) const;

  const std::vector<SharedArray>& shared_arrays() const { return shared_arrays_; }
  /// Static shared memory as the compiler counts it, without red zones.
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  /// The first shared address that exists.
  std::uint32_t shared_begin() const { return has_group_scratch_ ? kGroupScratch : kSharedBase; }
  /// Where the dynamic shared memory begins.
  std::uint32_t dynamic_shared_offset() const { return dynamic_offset_; }
  /// Local memory a thread needs when every call chain is as deep as it can be; `stack_bytes` where that is not known.
  std::uint32_t local_bytes(std::uint32_t stack_bytes) const;

 private:
  void find_reachable();
  void lay_out_shared();
  void link_calls();

  const ptx::Module& module_;
  const ptx::Function* function_;
  const std::string readable_name_;
  const std::size_t fingerprint_;
  const std::map<std::string, std::uint64_t, std::less<>>& addresses_;
  std::vector<const ptx::Function*> reachable_;
  bool calls_indirectly_ = false;
  std::map<const ptx::Function*, std::unique_ptr<Code>> codes_;
  std::vector<SharedArray> shared_arrays_;
  NameTable names_;
  bool has_group_scratch_ = false;
  std::uint32_t shared_bytes_ = 0;
  std::uint32_t dynamic_offset_ = kSharedBase;
};

}  // namespace vgpu
