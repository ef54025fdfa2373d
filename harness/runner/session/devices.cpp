#include "harness/runner/session/devices.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "harness/lab/array.h"

namespace lanewise {
Expected<std::unique_ptr<Devices>> Devices::start(const DevicesOptions& options, Descriptor& socket) {
  Descriptor ours, theirs, of_program;
  if (!make_channel(ours, theirs) || !make_channel(socket, of_program))
    return Failure{fmt::format("no channel to the virtual GPU could be created ({})", std::strerror(errno))};
  ProcessOptions process_options;
  process_options.command = {options.program.string(), "--owner", std::to_string(Process::kChannelNumber)};
  process_options.environment = {"LANG=C.UTF-8"};
  if (!options.profile.empty()) process_options.environment.push_back("LANEWISE_VGPU_PROFILE=" + options.profile);
  process_options.limits.data_bytes = kMostPrivateMemory;
  const Reach reach{ForeignWork::kRun, {}, {options.program}, false};
  auto process = Process::start(confined(options.confinement, std::move(process_options), reach), &theirs);
  if (!process) return process.failure();
  theirs.reset();  // or the end of the process would not be seen on ours

  const int owner = fcntl(ours.get(), F_DUPFD_CLOEXEC, 0);
  if (owner == -1) return Failure{"no file descriptors are left"};
  std::unique_ptr<Devices> devices(new Devices(std::move(*process), owner));
  devices->set_patience(kStartLimit);
  if (!devices->owner_.hello(of_program.get()))
    return Failure{fmt::format("the virtual GPU did not start ({})", options.program.string())};
  return devices;
}

bool Devices::place(CaseLayout& layout) {
  for (const std::uint64_t address : placed_)
    if (!owner_.release(address)) return false;
  placed_.clear();
  const protocol::Prepare& message = layout.message();
  for (std::size_t i = 0; i < message.array_count; ++i) {
    const protocol::ArrayPlace& place = message.arrays[i];
    if (place.bytes == 0) continue;  // the contract receives a null pointer
    const bool is_output = place.is_output != 0;
    const auto element = static_cast<std::uint32_t>(size_of(static_cast<DType>(place.dtype)));
    const std::uint64_t address = owner_.allocate(contract_name(layout.problem(), protocol::text_of(place.name)),
                                                  {place.bytes, element, static_cast<std::uint8_t>(is_output ? 0 : 1)});
    if (address == 0) return false;
    placed_.push_back(address);
    layout.set_device_address(i, address);
    const bool is_filled = is_output ? owner_.fill(address, std::to_integer<std::uint8_t>(kPoison), place.bytes)
                                     : owner_.write(address, layout.memory() + place.offset, place.bytes);
    if (!is_filled || !read_guards(layout, i)) return false;
  }
  return true;
}

bool Devices::begin(const CaseOptions& options) {
  return owner_.begin(
      {options.instruction_budget, options.schedule_seed, static_cast<std::uint8_t>(options.wants_counts ? 1 : 0)});
}

bool Devices::read_guards(CaseLayout& layout, std::size_t array) {
  const protocol::ArrayPlace& place = layout.message().arrays[array];
  return owner_.read(layout.memory() + place.guard_before, place.device_address - protocol::kGuardBytes,
                     protocol::kGuardBytes) &&
         owner_.read(layout.memory() + place.guard_after, place.device_address + place.bytes, protocol::kGuardBytes);
}

bool Devices::fetch(CaseLayout& layout, InputCheck inputs) {
  const protocol::Prepare& message = layout.message();
  for (std::size_t i = 0; i < message.array_count; ++i) {
    const protocol::ArrayPlace& place = message.arrays[i];
    if (place.bytes == 0) continue;
    const bool is_wanted = place.is_output != 0 || inputs == InputCheck::kDone;
    if (is_wanted && !owner_.read(layout.memory() + place.offset, place.device_address, place.bytes)) return false;
    if (!read_guards(layout, i)) return false;
  }
  return true;
}

std::string Devices::counts() {
  std::string text;
  return owner_.counts(text) ? text : std::string();
}

}  // namespace lanewise
