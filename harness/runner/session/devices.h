// The virtual GPU that a session's worker uses, in a process of its own. Only the runner places arrays there, and only
// the runner hears what was found and counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/runner/confinement.h"
#include "harness/runner/process.h"
#include "harness/runner/session/case_layout.h"
#include "harness/vgpu/link/owner.h"

namespace lanewise {

struct DevicesOptions {
  std::filesystem::path program;  ///< lanewise-device
  std::string profile;            ///< the device that it models; empty: its default
  Confinement confinement;
};

class Devices {
 public:
  /// Starts the process. `socket` becomes the one through which a worker uses the devices.
  static Expected<std::unique_ptr<Devices>> start(const DevicesOptions& options, Descriptor& socket);

  /// How long each of the calls below may wait, beside what it takes to move bytes.
  void set_patience(std::chrono::milliseconds patience) const { owner_.set_patience(patience); }

  // Each of these returns false once the process is gone or has not answered in time, or a kernel has broken the
  // device.

  bool set_monitors(const std::string& list) { return owner_.set_monitors(list); }
  /// Releases the arrays of the case before, and puts those of this one on the device: inputs, poisoned outputs, and
  /// the guard bands as they are. Their addresses go into the layout's message.
  bool place(CaseLayout& layout);
  /// The worker's turn. What it does is counted from now on if the case wants that.
  bool begin(const CaseOptions& options);
  /// No more: what the worker asks from now on waits for the next turn.
  bool freeze() { return owner_.freeze(); }
  /// Brings the arrays and their guard bands back.
  bool fetch(CaseLayout& layout, InputCheck inputs);
  /// Empty if nothing was counted, or more than could be handed over.
  std::string counts();
  /// Empty if there are none; false if there are more than could be handed over.
  bool findings(std::string& text) { return owner_.findings(text); }
  /// Whether a program so free of races as this one has been may still do something else in another order.
  bool depends_on_order() { return owner_.depends_on_order(); }
  /// What lies at an address; nothing if it is none of the devices'.
  vgpu::link::DescribedAddress describe(std::uint64_t address) { return owner_.describe(address); }

 private:
  Devices(Process process, int socket) : process_(std::move(process)), owner_(socket) {}

  bool read_guards(CaseLayout& layout, std::size_t array);

  Process process_;
  vgpu::link::Owner owner_;
  std::vector<std::uint64_t> placed_;
};

}  // namespace lanewise
