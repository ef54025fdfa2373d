// Which lines of a kernel are worth a word: how bad it is, why it is so, and what usually mends it.
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

/// The words are for somebody who writes a first kernel. They are not escaped: names come from the program.
struct Remark {
  RemarkKind kind = RemarkKind::kGlobalLoad;
  std::string file;
  std::uint32_t line = 0;              ///< 0: the kernel as a whole, or a line that is not known
  std::optional<std::size_t> pattern;  ///< the access to look at, in KernelReport::patterns
  double cost = 0;                     ///< cycles of a multiprocessor that were spent for nothing, roughly
  double share = 0;                    ///< of all of the kernel's cycles
  bool is_library = false;             ///< the line is none of the program's own
  std::string sentence;  ///< "32 sectors a request, 4 would do: neighbouring threads read addresses 4,096 bytes apart"
  std::string why;
  std::string scale;  ///< how much of all that the kernel does this is
  std::string advice;
};

/// The order in which to tell: what can be mended first, then the costliest.
bool comes_before(const Remark& a, const Remark& b);

struct Judgement {
  double cost = 0;              ///< cycles of a multiprocessor, roughly; to say which kernel matters
  std::vector<Remark> remarks;  ///< in that order
  std::string calm;             ///< what to say if there are none
};

Judgement judge(const KernelReport& kernel);

/// The kernels of a document, by number, the costliest first.
struct RankedKernel {
  std::size_t kernel = 0;
  Judgement judgement;
};
std::vector<RankedKernel> rank(const Document& document);

}  // namespace vgpu::report
