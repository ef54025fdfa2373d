// Contents of arrays by name: what a lab.toml asks for instead of C++ that makes data.
#pragma once

#include <functional>
#include <string>

#include "datasets/random.h"
#include "harness/lab/array.h"

namespace lanewise {

/// Fills `array` as `rule` says: "uniform(LOW, HIGH)", floats in [LOW, HIGH) and integers in [LOW, HIGH];
/// "constant(VALUE)"; "ascending", "descending" and "shuffled", the numbers from 0 on. Numbers may have names, whose
/// meaning `number_of` gives. Throws std::invalid_argument for another rule, and for numbers that the array's type does
/// not hold.
void fill(Array& array, const std::string& rule, Random& random,
          const std::function<double(const std::string&)>& number_of);

}  // namespace lanewise
