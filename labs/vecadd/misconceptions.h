// The mistakes that are typical of adding vectors, and what each of them gives.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::vecadd_lab {

/// What fresh device memory holds, in every byte: zeros on a GPU, as a rule; on the virtual GPU this, which is no use
/// as data (harness/vgpu/machine/address_space.cpp).
inline constexpr std::byte kFresh[] = {std::byte{0}, std::byte{0xCB}};

/// Mistakes in the kernel and its launch. Elements that no thread computes hold `unwritten` in every byte: the poison
/// where the submission is handed the output, one of kFresh where it is a copy of memory that the submission allocated.
/// Entries with the same name are the same mistake made with blocks of different sizes.
std::vector<Misconception> kernel_mistakes(std::byte unwritten);

/// Mistakes in moving the data between host and device.
std::vector<Misconception> transfer_mistakes();

}  // namespace lanewise::labs::vecadd_lab
