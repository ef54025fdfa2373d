#include "harness/vgpu/report/remarks.h"

#include <algorithm>
#include <map>

#include "harness/vgpu/report/access_words.h"
#include "harness/vgpu/report/wording.h"

namespace vgpu::report {
namespace {

// What things cost, in cycles of one multiprocessor: enough to rank lines of one kernel, no model of its time.
constexpr double kInstructionCycles = 0.25;  // four schedulers issue one warp instruction a cycle each
constexpr double kSectorCycles = 0.5;        // 64 bytes a cycle come from the second-level cache
constexpr double kWavefrontCycles = 1;       // shared memory's pipeline takes one a cycle
constexpr double kAtomicCycles = 1;          // updates of one address, one after another

// Below a twentieth of what the kernel does, fixing it would not be noticed.
constexpr double kWorthAWord = 0.05;
// One sector more than needed is a row that begins off a sector's border: 5 of 4 for floats. Worse is a pattern.
constexpr double kTooManySectors = 1.5;
constexpr double kTooManyWavefronts = 1.5;
// Three quarters of the threads at work: a border tile, a guard in the last block.
constexpr double kFewThreads = 0.75 * kLanes;
// Below, a branch is most likely the end of a loop that some threads leave earlier than others.
constexpr double kMostly = 0.25;
// Two threads that meet by chance are no contention.
constexpr double kDeepAtomics = 2;
// Half of their time: waiting that other blocks can hardly fill.
constexpr double kLongWait = 0.5;
// Half of the warps that could be there hide most waiting for memory.
constexpr double kLowOccupancy = 0.5;

double cost_of(const Counters& c) {
  const auto sectors = c.global_load_sectors + c.global_store_sectors + c.local_load_sectors + c.local_store_sectors +
                       c.global_atomic_sectors;
  return static_cast<double>(c.executions) * kInstructionCycles + static_cast<double>(sectors) * kSectorCycles +
         static_cast<double>(c.shared_load_wavefronts + c.shared_store_wavefronts) * kWavefrontCycles +
         static_cast<double>(c.global_atomic_depth + c.shared_atomic_depth) * kAtomicCycles;
}

double ratio(std::uint64_t above, std::uint64_t below) {
  return below == 0 ? 0 : static_cast<double>(above) / static_cast<double>(below);
}

std::uint64_t excess(std::uint64_t is, std::uint64_t needed) { return is > needed ? is - needed : 0; }

// What comes with the CUDA Toolkit: CUB, Thrust, libcu++, cooperative groups.
bool is_library(const std::string& file) {
  for (const char* folder :
       {"/include/cccl/", "/include/cub/", "/include/thrust/", "/include/cuda/", "/include/cooperative_groups"})
    if (file.find(folder) != std::string::npos) return true;
  return false;
}

std::uint64_t warps_of(const Extent3& block) { return (block.count() + kLanes - 1) / kLanes; }

/// Collects what is to be said of one kernel.
class Judge {
 public:
  explicit Judge(const KernelReport& kernel) : kernel_(kernel), cost_(cost_of(kernel.totals)) {}

  Judgement result() {
    for (const LineCounters& line : kernel_.lines) {
      global(line, "load", line.counters.global_load_requests, line.counters.global_load_sectors,
             line.counters.global_load_ideal_sectors);
      global(line, "store", line.counters.global_store_requests, line.counters.global_store_sectors,
             line.counters.global_store_ideal_sectors);
      shared(line, "load", line.counters.shared_load_requests, line.counters.shared_load_wavefronts,
             line.counters.shared_load_conflicts);
      shared(line, "store", line.counters.shared_store_requests, line.counters.shared_store_wavefronts,
             line.counters.shared_store_conflicts);
      atomics(line, "global", line.counters.global_atomic_requests, line.counters.global_atomic_depth,
              line.counters.global_atomic_max_depth);
      atomics(line, "shared", line.counters.shared_atomic_requests, line.counters.shared_atomic_depth,
              line.counters.shared_atomic_max_depth);
      local(line);
    }
    divergence();
    block_shape();
    keep_what_matters();
    barriers();
    occupancy();
    std::stable_sort(remarks_.begin(), remarks_.end(), comes_before);
    for (Remark& remark : remarks_)
      if (remark.is_library)
        remark.advice =
            "This line belongs to a library. What you can change is how it is called: the data, its type, its order.";
    Judgement judgement{cost_, std::move(remarks_), ""};
    if (judgement.remarks.empty()) judgement.calm = calm();
    return judgement;
  }

 private:
  const Pattern* pattern_of(Remark& remark, const char* space, const std::string& kind) const {
    for (std::size_t i = 0; i < kernel_.patterns.size(); ++i) {
      const Pattern& pattern = kernel_.patterns[i];
      if (pattern.line != remark.line || pattern.space != space || pattern.kind != kind || pattern.file != remark.file)
        continue;
      remark.pattern = i;
      return &pattern;
    }
    return nullptr;
  }

  Remark about(RemarkKind kind, const LineCounters& line, double cost) const {
    Remark remark;
    remark.kind = kind;
    remark.file = line.file;
    remark.line = line.line;
    remark.cost = cost;
    remark.share = cost_ > 0 ? cost / cost_ : 0;
    remark.is_library = is_library(line.file);
    return remark;
  }

  // "32 sectors per request, where 4 would do" of a line's average and its worst access, which mostly are the same.
  static std::string compared(const char* unit, double average, double needed, std::uint64_t worst,
                              std::uint64_t worst_needed) {
    const bool are_alike = average > 0.95 * static_cast<double>(worst) && average < 1.05 * static_cast<double>(worst);
    if (worst != 0 && are_alike)
      return with_commas(worst) + " " + unit + " per request, where " + with_commas(worst_needed) + " would do";
    return rounded(average) + " " + unit + " per request on average" +
           (worst != 0 ? ", " + with_commas(worst) + " at worst" : "") + ", where " + rounded(needed) + " would do";
  }

  void global(const LineCounters& line, const char* kind, std::uint64_t requests, std::uint64_t sectors,
              std::uint64_t ideal) {
    const std::uint64_t needless = excess(sectors, ideal);
    const double cost = static_cast<double>(needless) * kSectorCycles;
    if (requests == 0 || ratio(sectors, ideal) < kTooManySectors) return;
    const bool is_load = std::string_view(kind) == "load";
    Remark remark = about(is_load ? RemarkKind::kGlobalLoad : RemarkKind::kGlobalStore, line, cost);
    const Pattern* const pattern = pattern_of(remark, "global", kind);
    remark.sentence =
        compared("sectors", ratio(sectors, requests), ratio(ideal, requests), pattern != nullptr ? pattern->sectors : 0,
                 pattern != nullptr ? pattern->ideal_sectors : 0);
    if (pattern != nullptr) {
      remark.sentence += ": " + words_for_distance(*pattern);
      const std::uint64_t wanted = std::uint64_t{shape_of(*pattern).lanes} * pattern->bytes;
      remark.why =
          std::string("The 32 threads of a warp ") + (is_load ? "load" : "store") + " together, in one request. ";
      if (const std::string elements = words_for_first_elements(*pattern); !elements.empty())
        remark.why += elements + " ";
      remark.why += "Memory moves whole sectors of 32 bytes: for the " + with_commas(wanted) + " bytes requested, " +
                    with_commas(pattern->sectors * 32) + " are moved.";
      remark.advice = advice_for_global(*pattern);
    }
    const Counters& all = kernel_.totals;
    remark.scale = with_commas(needless) + " sectors are moved needlessly: " +
                   percent_text(ratio(needless, all.global_load_sectors + all.global_store_sectors)) +
                   " of all that this kernel loads and stores.";
    remarks_.push_back(std::move(remark));
  }

  void shared(const LineCounters& line, const char* kind, std::uint64_t requests, std::uint64_t wavefronts,
              std::uint64_t conflicts) {
    const std::uint64_t ideal = excess(wavefronts, conflicts);
    const double cost = static_cast<double>(conflicts) * kWavefrontCycles;
    if (requests == 0 || ratio(wavefronts, ideal) < kTooManyWavefronts) return;
    Remark remark = about(RemarkKind::kBankConflict, line, cost);
    const Pattern* const pattern = pattern_of(remark, "shared", kind);
    remark.sentence =
        compared("turns", ratio(wavefronts, requests), ratio(ideal, requests),
                 pattern != nullptr ? pattern->wavefronts : 0, pattern != nullptr ? pattern->ideal_wavefronts : 0);
    remark.why =
        "Shared memory has 32 banks, and each serves one 4-byte word per turn. Threads that access different words in "
        "one bank wait for each other: a bank conflict.";
    if (pattern != nullptr) {
      remark.sentence += ": " + words_for_banks(*pattern);
      if (const std::string elements = words_for_first_elements(*pattern); !elements.empty())
        remark.why = elements + " " + remark.why;
      remark.advice = advice_for_banks(*pattern);
    }
    const Counters& all = kernel_.totals;
    remark.scale = with_commas(conflicts) + " turns are lost: " +
                   percent_text(ratio(conflicts, all.shared_load_wavefronts + all.shared_store_wavefronts)) +
                   " of this kernel's turns in shared memory.";
    remarks_.push_back(std::move(remark));
  }

  void atomics(const LineCounters& line, const char* space, std::uint64_t requests, std::uint64_t depth,
               std::uint64_t deepest) {
    const std::uint64_t lost = excess(depth, requests);
    const double cost = static_cast<double>(lost) * kAtomicCycles;
    if (requests == 0 || ratio(depth, requests) < kDeepAtomics) return;
    Remark remark = about(RemarkKind::kAtomics, line, cost);
    const bool is_global = std::string_view(space) == "global";
    pattern_of(remark, space, "atomic");
    const double mean = ratio(depth, requests);
    remark.sentence = rounded(mean) + " threads of a warp update the same address at once" +
                      (mean < 0.95 * static_cast<double>(deepest) ? " on average, " + with_commas(deepest) + " at worst"
                                                                  : std::string()) +
                      ": they take turns";
    remark.why =
        "An atomic operation keeps others from the address until it is done, so updates of one address are serialised.";
    remark.scale = "Of the line's " + with_commas(depth) + " turns, " + with_commas(requests) +
                   " would suffice if no two threads of a warp used the same address.";
    remark.advice = is_global
                        ? "Add up within the warp first (__reduce_add_sync, or shuffles) and let one thread "
                          "update the sum; or accumulate in shared memory, one copy per block."
                        : "Keep several copies, for example one per warp, and add them at the end; or combine equal "
                          "keys within the warp first (__match_any_sync).";
    remarks_.push_back(std::move(remark));
  }

  void local(const LineCounters& line) {
    const std::uint64_t sectors = line.counters.local_load_sectors + line.counters.local_store_sectors;
    const double cost = static_cast<double>(sectors) * kSectorCycles;
    if (sectors == 0) return;
    Remark remark = about(RemarkKind::kLocalMemory, line, cost);
    remark.sentence = with_commas(sectors) + " sectors of local memory: what a thread keeps does not fit in registers";
    remark.why =
        "Registers have no addresses, and there are not many. An array whose index is known only at run time, and "
        "values "
        "that are too many at a time, are kept in device memory instead, and each use of them is a memory access.";
    remark.scale = "That is " + percent_text(remark.share) + " of the kernel's cost.";
    remark.advice =
        "Unroll the loop over an array (#pragma unroll), so that every index is a constant; or put it into shared "
        "memory. "
        "If there is none, keep fewer values at a time, or have __launch_bounds__ ask for fewer blocks.";
    remarks_.push_back(std::move(remark));
  }

  // What costs little is dropped; unless much of the kernel goes on many small things of one kind, which then are told
  // by their worst.
  void keep_what_matters() {
    constexpr std::size_t kExamples = 3;
    std::stable_sort(remarks_.begin(), remarks_.end(), comes_before);
    std::map<RemarkKind, double> small;
    for (const Remark& remark : remarks_)
      if (remark.share < kWorthAWord) small[remark.kind] += remark.share;
    std::map<RemarkKind, std::size_t> examples;
    const auto is_negligible = [&](const Remark& remark) {
      if (remark.share >= kWorthAWord) return false;
      return small[remark.kind] < kWorthAWord || ++examples[remark.kind] > kExamples;
    };
    remarks_.erase(std::remove_if(remarks_.begin(), remarks_.end(), is_negligible), remarks_.end());
  }

  // A branch is to blame for the idle threads of the lines behind it, up to the next branch that parts threads; a loop
  // that is tested at its end, for those before it.
  void divergence() {
    struct Blame {
      const LineCounters* branch = nullptr;
      std::uint64_t executions = 0, threads = 0;
    };
    const double full = threads_a_warp();
    std::vector<Blame> blames;
    Blame before;  // of a file's lines ahead of its first such branch
    const std::string* file = nullptr;
    for (const LineCounters& line : kernel_.lines) {
      if (file == nullptr || *file != line.file) before = {};
      file = &line.file;
      const Counters& c = line.counters;
      if (c.divergent_branches != 0) {
        blames.push_back({&line, before.executions, before.threads});
        before = {};
      }
      const bool has_branch = !blames.empty() && blames.back().branch->file == line.file;
      Blame& blame = has_branch ? blames.back() : before;
      if (static_cast<double>(c.thread_executions) >= full * static_cast<double>(c.executions)) continue;
      blame.executions += c.executions;
      blame.threads += c.thread_executions;
    }
    for (const Blame& blame : blames) {
      const double mean = ratio(blame.threads, blame.executions);
      const double idle = (full - mean) / kLanes * static_cast<double>(blame.executions);
      const double cost = idle * kInstructionCycles;
      if (blame.executions == 0 || mean > kFewThreads) continue;
      const Counters& c = blame.branch->counters;
      Remark remark = about(RemarkKind::kDivergence, *blame.branch, cost);
      const double parting = ratio(c.divergent_branches, c.branches);
      remark.sentence = parting >= kMostly ? "the threads of a warp diverge here " + percent_text(parting) +
                                                 " of the time: what follows runs with "
                                           : "the threads of a warp leave here at different times: the rest runs with ";
      remark.sentence += rounded(mean) + " of 32 threads";
      remark.why =
          "A warp executes one instruction for its 32 threads together. Where they diverge, it takes one path after "
          "the other, while the threads of the other paths wait.";
      remark.scale = "It costs " + percent_text(ratio(static_cast<std::uint64_t>(idle), kernel_.totals.executions)) +
                     " of the kernel's instructions.";
      remark.advice =
          parting >= kMostly
              ? "Let all 32 threads of a warp take the same branch: use conditions on threadIdx.x / 32 instead of "
                "threadIdx.x % 2, with the active threads side by side."
              : "Give neighbouring threads work of about the same length: sort it by length, or let threads "
                "that are done fetch more.";
      remarks_.push_back(std::move(remark));
    }
  }

  // Threads of a warp when none has gone another way: less than 32 where the block ends in a warp that is not full.
  double threads_a_warp() const {
    const std::uint64_t warps = warps_of(kernel_.block);
    return warps == 0 ? kLanes : static_cast<double>(kernel_.block.count()) / static_cast<double>(warps);
  }

  void block_shape() {
    const double idle = (kLanes - threads_a_warp()) / kLanes;
    const double cost = idle * static_cast<double>(kernel_.totals.executions) * kInstructionCycles;
    if (threads_a_warp() > kFewThreads) return;
    const std::uint64_t threads = kernel_.block.count();
    Remark remark = about(RemarkKind::kBlockShape, {}, cost);
    remark.sentence = "a block of " + counted(threads, "thread", "threads") + " takes " +
                      counted(warps_of(kernel_.block), "warp", "warps") + " of 32, so " + percent_text(idle) +
                      " of the lanes have no thread";
    remark.why = "Warps always have 32 lanes; those without a thread stay idle.";
    remark.advice = "Make the number of threads per block a multiple of 32; 128 or 256 is a good start.";
    remarks_.push_back(std::move(remark));
  }

  void barriers() {
    const std::uint64_t waited = kernel_.totals.barrier_wait;
    const double share = ratio(waited, waited + kernel_.totals.executions);
    if (share < kLongWait) return;
    const auto line = std::max_element(kernel_.lines.begin(), kernel_.lines.end(), [](const auto& a, const auto& b) {
      return a.counters.barrier_wait < b.counters.barrier_wait;
    });
    if (line == kernel_.lines.end()) return;
    // Other blocks' warps work meanwhile: what remains of the wait cannot be told from counts, so it is put last.
    Remark remark = about(RemarkKind::kBarrier, *line, 0);
    remark.sentence =
        "warps spend " + percent_text(share) +
        " of their time waiting for others of their block, longest here: a few have more work than the rest";
    remark.why = "__syncthreads() holds every warp until the slowest has arrived.";
    remark.advice = "Spread the work over all warps of the block, or use smaller blocks.";
    remarks_.push_back(std::move(remark));
  }

  void occupancy() {
    if (!kernel_.occupancy || kernel_.occupancy->max_warps_per_sm == 0) return;
    const Occupancy& occupancy = *kernel_.occupancy;
    if (ratio(occupancy.warps_per_sm, occupancy.max_warps_per_sm) >= kLowOccupancy) return;
    Remark remark = about(RemarkKind::kOccupancy, {}, 0);
    remark.sentence = "only " + std::to_string(occupancy.warps_per_sm) + " of " +
                      std::to_string(occupancy.max_warps_per_sm) + " warps fit on a multiprocessor, limited by " +
                      occupancy.limiter;
    remark.why = "While some warps wait for memory, others can work, if there are any.";
    if (occupancy.limiter == "registers" && kernel_.registers)
      remark.advice = "A thread uses " + std::to_string(*kernel_.registers) +
                      " registers: keep fewer values live at a time, or set a limit with __launch_bounds__. If each "
                      "thread has much independent work, few warps can be enough.";
    else if (occupancy.limiter == "shared memory")
      remark.advice =
          "A block uses " +
          bytes_text(static_cast<double>(kernel_.static_shared_bytes + kernel_.dynamic_shared_bytes)) +
          " of shared memory: try smaller tiles. If each thread has much independent work, few warps can be enough.";
    else
      remark.advice = "A block of " + counted(kernel_.block.count(), "thread", "threads") +
                      " is small; multiprocessors hold a limited number of blocks. Try 128 to 256 threads.";
    remarks_.push_back(std::move(remark));
  }

  std::string calm() const {
    const Counters& c = kernel_.totals;
    std::string text =
        "nothing stands out: " + rounded(ratio(c.thread_executions, c.executions)) + " of 32 threads active";
    const std::uint64_t sectors = c.global_load_sectors + c.global_store_sectors;
    const std::uint64_t ideal = c.global_load_ideal_sectors + c.global_store_ideal_sectors;
    if (ideal != 0 && ratio(sectors, ideal) < kTooManySectors)
      text += ratio(sectors, ideal) < 1.05 ? ", no needless sectors"
                                           : ", " + rounded(ratio(sectors, ideal)) + " sectors moved per sector needed";
    const std::uint64_t wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
    if (wavefronts != 0 && c.shared_load_conflicts + c.shared_store_conflicts == 0) text += ", no bank conflicts";
    return text;
  }

  const KernelReport& kernel_;
  double cost_;
  std::vector<Remark> remarks_;
};

}  // namespace

bool comes_before(const Remark& a, const Remark& b) {
  return a.is_library != b.is_library ? b.is_library : a.cost > b.cost;
}

Judgement judge(const KernelReport& kernel) { return Judge(kernel).result(); }

std::vector<RankedKernel> rank(const Document& document) {
  std::vector<RankedKernel> ranked;
  for (std::size_t i = 0; i < document.kernels.size(); ++i) ranked.push_back({i, judge(document.kernels[i])});
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedKernel& a, const RankedKernel& b) { return a.judgement.cost > b.judgement.cost; });
  return ranked;
}

}  // namespace vgpu::report
