// Which lines of a kernel deserve a remark: how bad it is, why, and the usual fix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/vgpu/report/document.h"

namespace vgpu::report {

enum class RemarkKind : std::uint8_t {
  kGlobalLoad,
  kGlobalStore,
  kLocalMemory,
  kBankConflict,
  kDivergence,
  kBlockShape,
  kAtomics,
  kBarrier,
  kOccupancy
};

/// The words are for authors of a first kernel. They are not escaped: names come from the program.
struct Remark {
  RemarkKind kind = RemarkKind::kGlobalLoad;
  std::string file;
  std::uint32_t line = 0;              ///< 0: the kernel as a whole, or an unknown line
  std::optional<std::size_t> pattern;  ///< the access to look at, in KernelReport::patterns
  double cost = 0;                     ///< wasted cycles of a multiprocessor, roughly
  double share = 0;                    ///< of all of the kernel's cycles
  bool is_library = false;             ///< the line belongs to a library, not to the program
  std::string sentence;                ///< "32 sectors per request, where 4 would do: neighbouring threads read ..."
  std::string why;
  std::string scale;  ///< the share of the kernel's cost
  std::string advice;
};

/// The order of presentation: what can be fixed first, then by cost.
bool comes_before(const Remark& a, const Remark& b);

struct Judgement {
  double cost = 0;              ///< cycles of a multiprocessor, roughly; to say which kernel matters
  std::vector<Remark> remarks;  ///< in that order
  std::string calm;             ///< the sentence if there are none
};

Judgement judge(const KernelReport& kernel);

/// The kernels of a document, by number, the most expensive first.
struct RankedKernel {
  std::size_t kernel = 0;
  Judgement judgement;
};
std::vector<RankedKernel> rank(const Document& document);

}  // namespace vgpu::report
