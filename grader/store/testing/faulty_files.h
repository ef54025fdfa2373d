// Files that fail on purpose: a layer between SQLite and its files that ends the process, fills the disk or cuts the
// power at a chosen step.
#pragma once

#include <string>

namespace lanewise {

enum class Fault {
  kNone,
  kKill,         ///< the process is killed with half of a write done
  kFullOnce,     ///< no space for one step, half of a write done
  kFullForGood,  ///< nor for any after it
  kBrokenOnce,   ///< an input or output error
  kBrokenForGood,
  kPowerCut,      ///< the process is killed, and the disk is as it was after each file's last sync
  kTornPowerCut,  ///< likewise, but some of what came after that is there: every other step, the last by half
};

/// What a fault is called on a command line: "kill", "full once", ...; nullptr past the last one.
const char* fault_name(Fault fault);

/// From here on SQLite's files are on a disk that does `fault` at step number `at`, from 1. A step is a write, a sync,
/// a change of length, or the making or removal of a file. Real syncs are left out: whether something was synced
/// matters at a power cut only, and that is reckoned.
void use_faulty_files(Fault fault, int at);

/// Steps so far.
int steps_of_faulty_files();

}  // namespace lanewise
