#include "harness/vgpu/cudart/runtime.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/interruption.h"
#include "harness/vgpu/cudart/leaks.h"
#include "harness/vgpu/machine/symbol_names.h"
#include "harness/vgpu/machine/translator/translation.h"

namespace vgpu::cudart {
namespace {

void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::uint64_t environment_number(const char* name) {
  const std::string text = environment(name);
  return text.empty() ? 0 : std::strtoull(text.c_str(), nullptr, 10);
}

int devices_from_environment() {
  const std::string text = environment("LANEWISE_VGPU_DEVICES");
  if (text.empty()) return 1;
  char* end = nullptr;
  const long wanted = std::strtol(text.c_str(), &end, 10);
  const long count = *end != '\0' ? 1 : std::clamp<long>(wanted, 1, DeviceSet::kMost);
  if (*end != '\0' || count != wanted)
    say("LANEWISE_VGPU_DEVICES=" + text + " is not a number from 1 to " + std::to_string(DeviceSet::kMost) + "; " +
        std::to_string(count) + (count == 1 ? " device is used" : " devices are used"));
  return static_cast<int>(count);
}

/// "x,y,z", of which the end may be missing.
Extent3 timeline_block_from_environment() {
  const std::string text = environment("LANEWISE_VGPU_TIMELINE_BLOCK");
  Extent3 block{0, 0, 0};
  int length = 0;
  const int found =
      std::sscanf(text.c_str(), "%u%n,%u%n,%u%n", &block.x, &length, &block.y, &length, &block.z, &length);
  if (text.empty() || (found > 0 && static_cast<std::size_t>(length) == text.size())) return block;
  say("LANEWISE_VGPU_TIMELINE_BLOCK=" + text + " is not a block such as 3 or 1,2,0; the timeline shows block (0,0,0)");
  return {0, 0, 0};
}

Options options_from_environment() {
  Options options;
  options.devices = devices_from_environment();
  if (const std::string profile = environment("LANEWISE_VGPU_PROFILE"); !profile.empty()) options.profile = profile;
  if (const std::string monitors = environment("LANEWISE_VGPU_MONITORS"); !monitors.empty())
    options.monitors = monitors;
  options.instruction_budget = environment_number("LANEWISE_VGPU_BUDGET");
  options.schedule_seed = environment_number("LANEWISE_VGPU_SEED");
  options.race_memory = environment_number("LANEWISE_VGPU_RACE_MEMORY");
  options.report_path = environment("LANEWISE_VGPU_REPORT");
  options.timeline_block = timeline_block_from_environment();
  options.stores_to = environment("LANEWISE_VGPU_STORES_TO");
  options.stores_like = environment("LANEWISE_VGPU_STORES_LIKE");
  return options;
}

}  // namespace

void say(const std::string& sentence) { host_process().print_error("lanewise vgpu: " + sentence + "\n"); }

namespace {

thread_local ThreadState* acts_for = nullptr;

}  // namespace

ThreadState& this_thread() {
  thread_local ThreadState own(static_cast<std::uint64_t>(pthread_self()));
  return acts_for != nullptr ? *acts_for : own;
}

void act_for(ThreadState* thread) { acts_for = thread; }
ThreadState* acts_for_thread() { return acts_for; }

Runtime& Runtime::get() {
  static auto* const kRuntime = new Runtime();  // never destroyed: programs use CUDA in their own destructors
  return *kRuntime;
}

Runtime::Runtime() : options(options_from_environment()), devices(options.devices, options.profile) {
  devices.set_schedule_seed(options.schedule_seed);
  counters_.keep_timeline_of(options.timeline_block);
  if (options.race_memory != 0) racecheck_.set_slack(options.race_memory << 20);
  if (!options.stores_to.empty() && !stores_.record_to(options.stores_to))
    say("LANEWISE_VGPU_STORES_TO=" + options.stores_to + " cannot be written");
  if (!options.stores_like.empty() && !stores_.compare_with(options.stores_like, options.schedule_seed))
    say("LANEWISE_VGPU_STORES_LIKE=" + options.stores_like + " is not a record made with LANEWISE_VGPU_STORES_TO");
  if (!set_monitors(options.monitors)) {
    say("LANEWISE_VGPU_MONITORS=" + options.monitors + " names an unknown checker; all are used");
    set_monitors("all");
  }
  const std::string translate = environment(Translation::kVariable);
  if (!translate.empty() && translate != Translation::kNever && translate != Translation::kAlways)
    say(std::string(Translation::kVariable) + "=" + translate + " is neither never nor always, and is ignored");
  write_report();
  if (!options.report_path.empty()) report_when_interrupted();
  std::atexit([] { Runtime::get().at_exit(); });
}

DeviceState* Runtime::device(cudaError_t& error) {
  this_thread().uses_device = true;
  return devices.get(this_thread().device, error);
}

void Runtime::reset_device(DeviceState& device) {
  const int number = device.number;
  const cudaError_t sticky = device.sticky;
  drop_captures(*this, device);
  devices.finish_all();
  for (auto it = thread_streams_.begin(); it != thread_streams_.end();)
    it = it->first.first == number ? thread_streams_.erase(it) : std::next(it);
  for (auto it = events.begin(); it != events.end();)
    it = it->second->device == number ? events.erase(it) : std::next(it);
  for (const auto& program : programs_) program->images.erase(number);
  for (auto it = pools.begin(); it != pools.end();) it = it->second->device == number ? pools.erase(it) : std::next(it);
  if (looks_for_leaks_)
    for (Finding& leak : leaks_on(device))
      if (left_at_resets_.size() < kMostLeaksAtResets) left_at_resets_.push_back(std::move(leak));
  for (auto it = graph_memory.begin(); it != graph_memory.end();) {
    const bool is_here = it->second->device == number;
    if (is_here) it->second->lost = true;
    it = is_here ? graph_memory.erase(it) : std::next(it);
  }
  initcheck_.contents().forget_device(*device.memory);
  devices.remove(number);
  if (number == 0) {  // managed variables lie there; wherever else they are used has to hear of it if they have moved
    std::map<const VariableHandle*, std::uint64_t> before;
    for (const auto& [key, handle] : variables_) before[handle.get()] = std::exchange(handle->address, 0);
    prepare_managed();
    for (const auto& [key, handle] : variables_)
      if (handle->address != before[handle.get()])
        for (auto& [other, image] : handle->program->images)
          if (other != 0) image = {};
  }
  cudaError_t error = cudaSuccess;
  if (sticky == cudaSuccess) return;
  if (DeviceState* const anew = devices.get(number, error)) anew->sticky = cudaErrorDevicesUnavailable;
}

KernelHandle* Runtime::kernel(const void* key) {
  if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second.get();
  for (const auto& [host_function, handle] : kernels_)
    if (handle.get() == key) return handle.get();
  return nullptr;
}

KernelHandle& Runtime::kernel_named(Program& program, const std::string& name) {
  for (const auto& [key, handle] : kernels_)
    if (handle->program == &program && handle->name == name) return *handle;
  std::unique_ptr<KernelHandle>& made = program.device_kernels[name];
  if (made == nullptr) {
    made = std::make_unique<KernelHandle>();
    made->program = &program;
    made->name = name;
  }
  return *made;
}

VariableHandle* Runtime::variable(const void* host_variable) {
  if (const auto found = variables_.find(host_variable); found != variables_.end()) return found->second.get();
  // What nvcc makes of a managed variable's name is where the variable lies.
  for (const auto& [key, handle] : variables_)
    if (handle->managed != nullptr && handle->address != 0 && pointer_to(handle->address) == host_variable)
      return handle.get();
  return nullptr;
}

const LoadedModule* Runtime::managed_home(Program& program, const DeviceState& device) {
  const bool has_managed = std::any_of(variables_.begin(), variables_.end(), [&](const auto& entry) {
    return entry.second->program == &program && entry.second->is_managed();
  });
  cudaError_t error = cudaSuccess;
  DeviceState* const first = has_managed && device.number != 0 ? devices.get(0, error) : nullptr;
  return first != nullptr ? module(program, *first, error) : nullptr;
}

LoadedModule::VariablePlaces Runtime::managed_in_program(const Program& program) const {
  LoadedModule::VariablePlaces places;
  for (const auto& [key, handle] : variables_)
    if (handle->program == &program && handle->in_program != 0)
      places[handle->name] = {handle->in_program, handle->bytes};
  return places;
}

LoadedModule* Runtime::module(Program& program, DeviceState& device, cudaError_t& error) {
  if (program.is_unloaded) {
    note("device code refused", "a graph has a kernel whose module has been unloaded", "");
    error = cudaErrorInvalidResourceHandle;
    return nullptr;
  }
  DeviceImage& image = program.images[device.number];
  if (image.module) return image.module.get();
  if (image.problem.empty()) {
    const std::uint32_t architecture = device.profile.compute_major * 10 + device.profile.compute_minor;
    ProgramCode code = read_program_code(program.code, architecture);
    image.problem = std::move(code.problem);
    image.error = code.error;
    image.resources = std::move(code.resources);
    if (image.problem.empty()) {
      auto loaded = LoadedModule::load(std::move(code.units), *device.memory, managed_home(program, device),
                                       managed_in_program(program));
      if (const auto* diagnostic = std::get_if<ptx::Diagnostic>(&loaded)) {
        const std::string line = "PTX line " + std::to_string(diagnostic->line) + ": ";
        image.problem = (diagnostic->line != 0 ? line : "") + diagnostic->message;
        image.error = cudaErrorInvalidPtx;
      } else {
        image.module = std::move(std::get<std::unique_ptr<LoadedModule>>(loaded));
      }
    }
    if (!image.problem.empty()) note("device code refused", image.problem, "");
  }
  if (!image.module) error = image.error;
  return image.module.get();
}

Program* Runtime::add_program(RegisteredCode code) {
  programs_.push_back(std::make_unique<Program>());
  programs_.back()->code = std::move(code);
  return programs_.back().get();
}

void Runtime::remove_program(Program* program) {
  // Kernels of the program may be pending; a GPU would finish them, but nobody would see them print.
  const bool before = std::exchange(printing, false);
  devices.finish_all();
  printing = before;
  for (auto it = variables_.begin(); it != variables_.end();)
    it = it->second->program == program ? variables_.erase(it) : std::next(it);
  if (graphs.empty() && executable_graphs.empty() && captures.empty()) {
    for (auto it = kernels_.begin(); it != kernels_.end();)
      it = it->second->program == program ? kernels_.erase(it) : std::next(it);
    const auto is_it = [&](const auto& known) { return known.get() == program; };
    programs_.erase(std::remove_if(programs_.begin(), programs_.end(), is_it), programs_.end());
  } else {  // nodes of graphs may name its kernels
    unload_library(*program);
  }
  devices.remove_program_memory([&](const AddressSpace& memory) {
    const auto first = variables_.lower_bound(pointer_to(memory.low()));
    if (first != variables_.end() && first->first < pointer_to(memory.high())) return false;
    host_process().unshare(pointer_to(memory.low()));
    return true;
  });
}

void Runtime::add_kernel(Program* program, const void* host_function, const char* name) {
  auto handle = std::make_unique<KernelHandle>();
  handle->program = program;
  handle->name = name;
  std::unique_ptr<KernelHandle>& place = kernels_[host_function];
  if (place) place->program->unloaded_kernels.push_back(std::move(place));  // launches and graphs may still name it
  place = std::move(handle);
}

void Runtime::add_variable(Program* program, const void* host_variable, const char* name, std::size_t bytes,
                           void** managed) {
  auto handle = std::make_unique<VariableHandle>();
  handle->program = program;
  handle->name = name;
  handle->bytes = bytes;
  handle->managed = managed;
  const auto address = reinterpret_cast<std::uint64_t>(host_variable);
  const AddressSpace* const section = devices.program_memory(address);
  if (section != nullptr && bytes <= section->high() - std::min(address, section->high())) handle->in_program = address;
  variables_[host_variable] = std::move(handle);
}

void Runtime::add_managed_section(const void* begin, const void* end) {
  const auto first = reinterpret_cast<std::uint64_t>(begin), last = reinterpret_cast<std::uint64_t>(end);
  if (first >= last || devices.program_memory(first) != nullptr) return;  // each file of a program says it
  std::byte* const at = host_process().share(pointer_to(first), last - first);
  if (at != nullptr && devices.add_program_memory(first, last - first, at)) return;
  if (at != nullptr) host_process().unshare(pointer_to(first));
  say("the program's __managed__ variables could not be shared with the device");
}

void Runtime::prepare_managed() {
  cudaError_t error = cudaSuccess;
  for (const auto& known : variables_) {
    const auto& handle = known.second;
    if (!handle->is_managed() || handle->address != 0) continue;
    DeviceState* const made = devices.get(0, error);
    LoadedModule* const loaded = made != nullptr ? module(*handle->program, *made, error) : nullptr;
    if (loaded == nullptr) continue;
    const LoadedModule::VariablePlace* const place = loaded->variable(handle->name);
    if (place == nullptr) continue;
    handle->address = place->address;
    if (AddressSpace* const own = devices.program_memory(handle->in_program)) {
      const auto& variables = loaded->module().variables;
      const auto declared = std::find_if(variables.begin(), variables.end(),
                                         [&](const ptx::Variable& variable) { return variable.name == handle->name; });
      if (declared != variables.end())
        own->adopt(place->address, place->bytes, MemoryKind::kManaged, handle->name, ptx::size_of(declared->type));
      continue;
    }
    host_process().write(handle->managed, &handle->address, sizeof handle->address);
  }
}

Runtime::StreamPlace Runtime::stream(DeviceState& current, cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return {&current, &current.timeline.legacy()};
  if (handle == cudaStreamPerThread) {
    StreamState*& own = thread_streams_[{current.number, this_thread().id}];
    if (own == nullptr) own = &current.timeline.create(true, cudaStreamDefault, 0);
    return {&current, own};
  }
  auto* const stream = reinterpret_cast<StreamState*>(handle);
  DeviceState* const owner = devices.owning(stream);
  return {owner, owner != nullptr ? stream : nullptr};
}

MemoryPool& Runtime::make_pool(int device) {
  auto made = std::make_unique<MemoryPool>();
  made->number = ++pools_made_;
  made->device = device;
  MemoryPool& pool = *made;
  pools[reinterpret_cast<cudaMemPool_t>(&pool)] = std::move(made);
  return pool;
}

MemoryPool& Runtime::default_pool(DeviceState& device) {
  if (device.default_pool == nullptr) {
    MemoryPool& made = make_pool(device.number);
    made.is_default = true;
    device.default_pool = reinterpret_cast<cudaMemPool_t>(&made);
  }
  return *pools.at(device.default_pool);
}

MemoryPool& Runtime::current_pool(DeviceState& device) {
  return device.current_pool != nullptr ? *pools.at(device.current_pool) : default_pool(device);
}

MemoryPool* Runtime::pool(cudaMemPool_t handle) {
  const auto found = pools.find(handle);
  return found == pools.end() || found->second->destroyed ? nullptr : found->second.get();
}

bool Runtime::release(DeviceState& device, std::uint64_t address) {
  const Allocation* const allocation = device.memory->find(address);
  if (allocation == nullptr || allocation->address != address) return false;
  const std::uint64_t bytes = allocation->bytes;
  const std::uint32_t number = allocation->pool;
  if (!device.memory->release(address)) return false;
  device.shared.exported.erase(address);
  const auto from = std::find_if(pools.begin(), pools.end(), [&](const auto& p) { return p.second->number == number; });
  if (from == pools.end()) return true;
  from->second->give_back(bytes);
  if (from->second->destroyed && from->second->used == 0) pools.erase(from);
  return true;
}

cudaError_t Runtime::refuse_to_free(const Allocation& lent, const char* caller) {
  if (is_of_another_process(lent)) {
    note("invalid free", std::string(caller) + " was given a pointer that cudaIpcOpenMemHandle has returned",
         "Close it with cudaIpcCloseMemHandle; the process that exported the memory frees it.");
    return cudaErrorInvalidValue;
  }
  note("invalid free", std::string(caller) + " was given " + lent.name + ", which the program did not allocate",
       "Free what you have allocated, and nothing else.");
  return cudaErrorInvalidValue;
}

bool Runtime::set_monitors(const std::string& list) {
  Observer* const by_number[] = {&memcheck_, &initcheck_, &racecheck_, &synccheck_};
  static_assert(std::size(by_number) == kCheckerNames.size(), "one for each name");
  std::vector<std::pair<const char*, Observer*>> checkers;
  for (std::size_t n = 0; n < kCheckerNames.size(); ++n) checkers.emplace_back(kCheckerNames[n], by_number[n]);
  checkers.emplace_back("counters", &counters_);
  std::set<std::string> wanted;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, comma - at);
    const bool is_checker =
        std::any_of(std::begin(checkers), std::end(checkers), [&](const auto& c) { return name == c.first; });
    if (!is_checker && name != "all" && name != "none" && !name.empty()) return false;
    wanted.insert(name);
    at = comma + 1;
  }
  std::vector<Observer*> chosen;
  for (const auto& [name, checker] : checkers) {
    const bool has_readers = checker != &counters_ || counts_for_caller_ || !options.report_path.empty();
    if ((wanted.count(name) != 0 || wanted.count("all") != 0) && has_readers) chosen.push_back(checker);
  }
  if (stores_.is_on()) chosen.push_back(&stores_);
  const bool followed_contents = follows_contents_;
  follows_contents_ = std::find(chosen.begin(), chosen.end(), &initcheck_) != chosen.end();
  if (follows_contents_ && !followed_contents)
    for (const DeviceState* const device : devices.all_made()) initcheck_.contents().trust(*device->memory);
  looks_for_leaks_ = std::find(chosen.begin(), chosen.end(), &memcheck_) != chosen.end();
  counts_ = std::find(chosen.begin(), chosen.end(), &counters_) != chosen.end();
  watchers_.watch_with(std::move(chosen));
  monitors_ = list;
  return true;
}

void Runtime::time_anew() {
  devices.finish_all();
  modelled_before_ = modelled_so_far();
  for (const auto& [number, timeline] : devices.timelines()) {
    timeline->forget_longest_kernel();
    timeline->forget_activities();
  }
}

void Runtime::count_anew(bool on) {
  time_anew();
  counters_.forget();
  counts_for_caller_ = on;
  set_monitors(std::string(monitors_));
}

}  // namespace vgpu::cudart
