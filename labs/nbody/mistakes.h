// The mistakes that are typical of adding up the gravity of bodies, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::nbody_lab {

/// All of them, the likeliest first where two give the same. Entries with the same name are the same mistake made with
/// blocks or tiles of different sizes, or written in another way.
std::vector<Misconception> mistakes();

}  // namespace lanewise::labs::nbody_lab
