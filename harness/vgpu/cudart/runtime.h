// The process-wide state behind the runtime API: devices, registered programs, findings, each thread's last error.
//
// This is the one place in Lanewise with global mutable state, because the CUDA runtime API has it: calls name no
// context.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/capture.h"
#include "harness/vgpu/cudart/device_set.h"
#include "harness/vgpu/cudart/graph.h"
#include "harness/vgpu/cudart/loaded_objects.h"
#include "harness/vgpu/cudart/memory_advice.h"
#include "harness/vgpu/cudart/memory_pool.h"
#include "harness/vgpu/cudart/program_code.h"
#include "harness/vgpu/cudart/report_document.h"
#include "harness/vgpu/monitor/checker_names.h"
#include "harness/vgpu/monitor/counters.h"
#include "harness/vgpu/monitor/finding.h"
#include "harness/vgpu/monitor/host_copies.h"
#include "harness/vgpu/monitor/initcheck.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/store_record.h"
#include "harness/vgpu/monitor/synccheck.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu::cudart {

/// What the environment says: LANEWISE_VGPU_DEVICES, _PROFILE, _MONITORS, _BUDGET, _SEED, _REPORT, _EXPLAIN,
/// _TIMELINE_BLOCK, _RACE_MEMORY, _STORES_TO, _STORES_LIKE.
struct Options {
  int devices = 1;
  std::string profile = "h200";
  std::string monitors = "all";
  std::uint64_t instruction_budget = 0;  ///< warp instructions a launch; 0: kDefaultBudget
  std::uint64_t schedule_seed = 0;
  bool starts_in_order = false;   ///< see LaunchOptions
  std::uint64_t race_memory = 0;  ///< MiB that racecheck may need beyond 2 bytes a byte; 0: AccessShadow::kSlack
  std::string report_path;        ///< what is found and counted is written there; empty: findings are printed to stderr
  Extent3 timeline_block{0, 0, 0};  ///< whose timeline the report has
  std::string stores_to;            ///< a file for what each launch leaves in memory: see StoreRecord; empty: none
  std::string stores_like;          ///< such a file, of a run with seed 0, to compare with; empty: none
};

/// Warp instructions after which a launch counts as endless: minutes of work for this machine.
inline constexpr std::uint64_t kDefaultBudget = 20'000'000'000;

struct Program;

/// What a program has set for a kernel on one device.
struct KernelSettings {
  int max_dynamic_shared = -1;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize; -1: never set
  int carveout = -1;
  bool allows_large_clusters = false;  ///< cudaFuncAttributeNonPortableClusterSizeAllowed
  int cluster_policy = 0;              ///< cudaFuncAttributeClusterSchedulingPolicyPreference
  int required_cluster[3] = {0, 0, 0};
};

struct KernelHandle {
  Program* program = nullptr;
  std::string name;                        ///< mangled
  std::map<int, KernelSettings> settings;  ///< by device

  KernelSettings settings_on(int device) const {
    const auto found = settings.find(device);
    return found == settings.end() ? KernelSettings{} : found->second;
  }
};

/// One fat binary of the program, as __cudaRegisterFatBinary gave it.
struct Program {
  RegisteredCode code;
  std::vector<std::byte> image;       ///< of a library, which is loaded while the program runs: what `code` points into
  std::map<int, DeviceImage> images;  ///< by device
  std::map<std::string, std::unique_ptr<KernelHandle>> device_kernels;  ///< that only device code launches, by name
  bool is_unloaded = false;                                             ///< a library that is no more
  std::vector<std::unique_ptr<KernelHandle>> unloaded_kernels;          ///< of such a library: graphs may name them
};

struct VariableHandle {
  Program* program = nullptr;
  std::string name;
  std::size_t bytes = 0;
  /// Of __managed__ variables as nvcc makes them: the program's pointer to fill in.
  void** managed = nullptr;
  /// Of those that clang compiles: where the program has the variable itself. All devices use it there.
  std::uint64_t in_program = 0;
  std::uint64_t address = 0;  ///< of a __managed__ variable, once it is there; 0: not yet

  bool is_managed() const { return managed != nullptr || in_program != 0; }
};

struct EventState {
  int device = 0;  ///< that it belongs to
  bool timing = true;
  bool is_interprocess = false;        ///< other processes may know it
  bool is_opened = false;              ///< one of them has made it
  std::optional<SharedFile> exported;  ///< once there is a handle
  bool recorded = false;
  std::shared_ptr<Operation> operation;  ///< null once it has happened
  double nanoseconds = 0;                ///< device time at which it happened
  std::weak_ptr<Capture> capture;        ///< in which it was recorded last, as long as that goes on
  bool was_captured = false;             ///< recorded last in a capture, over or not
  std::vector<Node*> captured;           ///< what it then stood for
};

/// A graph made ready to be launched, with settings of its own from then on.
struct ExecutableGraph {
  std::unique_ptr<Graph> graph;
  unsigned long long flags = 0;
  const Graph* made_from = nullptr;        ///< null once that is gone
  std::shared_ptr<Operation> last_launch;  ///< the end of its latest launch
};

/// A user object as its handle knows it: the program has references to it, and graphs may have some, too.
struct UserObjectHandle {
  std::weak_ptr<UserObject> object;
  std::shared_ptr<UserObject> own;  ///< null once the program has no references
  unsigned references = 0;          ///< the program's
};

class Runtime {
 public:
  static Runtime& get();

  std::recursive_mutex mutex;

  Options options;
  DeviceSet devices;

  /// The calling thread's current device, made on first use; null with `error` if that failed.
  DeviceState* device(cudaError_t& error);
  /// Frees all memory and unloads all modules of a device. One that a kernel has broken stays broken, as on a GPU,
  /// where only a new process helps.
  void reset_device(DeviceState& device);

  /// The kernel behind a host stub's address or a handle; null if there is none.
  KernelHandle* kernel(const void* host_function_or_handle);
  /// The handle of a program's kernel, which host code need not know.
  KernelHandle& kernel_named(Program& program, const std::string& name);
  VariableHandle* variable(const void* host_variable);

  /// The program's module on the device, loaded on first use; null with `error`.
  LoadedModule* module(Program& program, DeviceState& device, cudaError_t& error);

  // Registration, in the order a program does it.
  Program* add_program(RegisteredCode code);
  void remove_program(Program* program);
  /// One that is loaded while the program runs: PTX text with the zero at its end, or a fat binary.
  Program* add_library(std::vector<std::byte> image);
  /// Unloads it, with its variables. What is left of it makes launches of its kernels fail.
  void unload_library(Program& library);
  /// The library behind a handle; null if it is none of ours.
  Program* library(cudaLibrary_t handle);
  /// The handle of a library's kernel, by which `kernel` finds it, too.
  KernelHandle& library_kernel(Program& library, const std::string& name);
  void add_kernel(Program* program, const void* host_function, const char* name);
  void add_variable(Program* program, const void* host_variable, const char* name, std::size_t bytes, void** managed);
  /// Variables at these addresses of the program that are registered from now on are __managed__.
  void add_managed_section(const void* begin, const void* end);
  /// Loads what has __managed__ variables, so that the host can use them.
  void prepare_managed();

  // Streams and events.
  /// The stream behind a handle, and its device: `current` for the special streams; no stream if the handle is none of
  /// ours.
  struct StreamPlace {
    DeviceState* device = nullptr;
    StreamState* stream = nullptr;
  };
  StreamPlace stream(DeviceState& current, cudaStream_t handle);
  std::map<cudaEvent_t, std::unique_ptr<EventState>> events;

  std::map<int, unsigned> device_flags;  ///< cudaSetDeviceFlags, by device

  // Memory pools.
  std::map<cudaMemPool_t, std::unique_ptr<MemoryPool>> pools;
  /// The pool that a device's cudaMallocAsync takes memory from.
  MemoryPool& current_pool(DeviceState& device);
  MemoryPool& default_pool(DeviceState& device);
  /// That graphs take theirs from; programs have no handle of it.
  MemoryPool& graph_pool(DeviceState& device);
  MemoryPool& make_pool(int device);
  /// Null if the handle is none of ours.
  MemoryPool* pool(cudaMemPool_t handle);
  /// Ends an allocation of a device; false if none begins there.
  bool release(DeviceState& device, std::uint64_t address);
  /// Notes that a program tried to free what is not its own.
  cudaError_t refuse_to_free(const Allocation& lent, const char* caller);

  MemoryAdvice advice;

  // Graphs, and captures that are going on.
  std::map<cudaGraph_t, std::unique_ptr<Graph>> graphs;
  std::map<cudaGraphExec_t, std::unique_ptr<ExecutableGraph>> executable_graphs;
  std::map<cudaUserObject_t, UserObjectHandle> user_objects;
  std::vector<std::shared_ptr<Capture>> captures;
  std::uint64_t captures_begun = 0;
  std::map<std::uint64_t, std::shared_ptr<GraphMemory>> graph_memory;  ///< by address
  std::map<cudaGraphConditionalHandle, std::shared_ptr<Condition>> conditions;
  std::uint64_t conditions_made = 0;
  /// Takes a graph over; its handle is its address.
  Graph& keep(std::unique_ptr<Graph> graph);
  /// Destroys it; false if there is none.
  bool destroy_graph(cudaGraph_t handle);
  /// Executable graphs, memory and conditions do not belong to a graph, or to one inside of it, any more.
  void is_about_to_go(Graph& graph);
  /// Forgets the memory and conditions of graphs that are gone.
  void forget_unused_of_graphs();
  /// The graph behind a handle, those inside other graphs included; null if it is none of ours.
  Graph* graph(cudaGraph_t handle);
  Node* node(cudaGraphNode_t handle);

  // Checkers and findings.
  FindingList findings;
  HostCopies host_copies;
  /// Everything that was found, copies to the host included.
  std::vector<Finding> found() const;
  void forget_found();
  /// What may be right as it is: no findings. What was not freed is noted once the program has ended.
  std::vector<Finding> noted() const;
  LoadedObjects loaded_objects;
  /// Those of the findings and notes, and of all allocations that have no name.
  CallPlaces call_places() const;
  /// The checkers as a comma-separated list; false if a name is not known.
  bool set_monitors(const std::string& list);
  Observer* observer() { return watchers_.empty() ? nullptr : &watchers_; }
  /// What initcheck must know of device memory; null while it does not watch.
  DeviceContents* contents() { return follows_contents_ ? &initcheck_.contents() : nullptr; }
  /// A finding about something other than a memory access: a call refused, a launch that cannot begin.
  /// Returns whether it is new.
  bool note(const std::string& kind, const std::string& sentence, const std::string& advice,
            const std::string& kernel = {}, const std::string& file = {}, std::uint32_t line = 0);
  /// Device memory that is still allocated, as findings; forgets what was reported before.
  void report_leaks();

  bool printing = true;  ///< off while the program is ending: a GPU would not print any more, either

  const Racecheck& racecheck() const { return racecheck_; }

  // Counters.
  /// Counts anew from the next launch on, also without a report file; or no longer, unless there is one.
  void count_anew(bool on);
  /// Modelled time begins anew.
  void time_anew();
  /// What was counted since, without findings, patterns and timelines.
  std::string counts_as_json();
  /// Null while they do not watch.
  Counters* counters() { return counts_ ? &counters_ : nullptr; }
  ResourcesOfKernels resources_of_kernels;  ///< noted at first launches while counters watch

  /// Brings the report file up to date, so that it is there whatever way the program ends. New findings are in it at
  /// once; writing costs time, so the rest may wait for a later call unless this one is the `last`.
  void write_report(bool last = false);

  /// The program ends as it means to: runs down what is pending and writes the report. Once.
  void at_exit();
  /// It is gone. Its destructors may have freed memory after at_exit(), if it did end as it meant to.
  void program_is_gone();

 private:
  Runtime();

  /// Of all devices, since the first of them was made.
  ModelledTotal modelled_so_far() const;
  /// Since time began anew.
  ModelledTotal modelled() const;

  /// The program's module on the first device, where its managed variables are; null if that is `device` or there are
  /// none.
  const LoadedModule* managed_home(Program& program, const DeviceState& device);
  /// The program's managed variables that lie in memory of its own.
  LoadedModule::VariablePlaces managed_in_program(const Program& program) const;

  std::vector<std::unique_ptr<Program>> programs_;
  std::map<const void*, std::unique_ptr<KernelHandle>> kernels_;
  std::map<const void*, std::unique_ptr<VariableHandle>> variables_;
  std::uint32_t pools_made_ = 0;
  std::map<std::pair<int, std::uint64_t>, StreamState*> thread_streams_;  ///< cudaStreamPerThread, by device and thread
  Memcheck memcheck_{findings};
  Initcheck initcheck_{findings};
  Racecheck racecheck_{findings};
  Synccheck synccheck_{findings};
  StoreRecord stores_{findings};
  Counters counters_;
  Watchers watchers_;
  bool follows_contents_ = false;
  bool looks_for_leaks_ = false;
  static constexpr std::size_t kMostLeaksAtResets = 64;  ///< a program may reset its device a million times
  std::vector<Finding> left_at_resets_;                  ///< notes of what devices lost when they were reset
  bool counts_ = false;
  bool counts_for_caller_ = false;                     ///< without a report file
  ModelledTotal modelled_before_;                      ///< when time began anew
  std::string monitors_;                               ///< as they were set
  std::size_t findings_reported_ = ~std::size_t{0};    ///< how many different ones, when the report was last written
  std::chrono::steady_clock::time_point next_report_;  ///< not before this, unless something new was found
  bool ended_ = false, is_gone_ = false;
  bool ended_as_meant_ = false;  ///< the program was not gone then

  /// Of what the program has not destroyed: at most one note.
  std::vector<Finding> handles_left() const;
};

/// What each of the program's threads has for itself.
struct ThreadState {
  explicit ThreadState(std::uint64_t thread) : id(thread) {}

  std::uint64_t id;  ///< no other thread's
  cudaError_t last_error = cudaSuccess;
  int device = 0;
  bool uses_device = false;  ///< a call has needed the current device: that makes a context of the driver's API current
  std::uint64_t site = 0;    ///< where the program made the call that is being answered: LoadedObjects
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  struct LaunchConfiguration {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
  };
  std::vector<LaunchConfiguration> configurations;  ///< <<< >>> that were pushed and not yet popped
};
ThreadState& this_thread();
/// Answers the calls of a program's thread in this thread from now on; null: its own, as at first.
void act_for(ThreadState* thread);
ThreadState* acts_for_thread();

/// Writes a line to the program's stderr that begins with "lanewise vgpu: ".
void say(const std::string& sentence);

}  // namespace vgpu::cudart
