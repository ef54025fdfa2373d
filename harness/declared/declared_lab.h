// A lab that is written without C++ of the harness's: its lab.toml says what is passed, made and compared, and
// oracle.cpp what is right.
#pragma once

#include "harness/lab/failure.h"
#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// The lab that `file`, with an oracle, declares. The failure names the place in lab.toml or in the contract that does
/// not go with the other. The oracle is compiled when it is first asked, or the lab's `trouble`; with `compile_ahead`,
/// that begins at once.
Expected<Lab> declare_lab(const LabFile& file, const Installation& installation, bool compile_ahead);

}  // namespace lanewise
