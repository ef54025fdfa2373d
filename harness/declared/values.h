// Contents of arrays by name: what a lab.toml asks for instead of C++ that makes data.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/random.h"
#include "harness/lab/array.h"

namespace lanewise {

/// What a number's name stands for.
using NumberOf = std::function<double(const std::string&)>;

/// "uniform" and -1, 1 of "uniform(-1, 1)".
struct NameWithNumbers {
  std::string name;
  std::vector<double> numbers;
};

/// `text` as a name, with or without numbers in brackets; none if it is something else. What stands before the bracket
/// may be anything. Numbers may have names, whose meaning `number_of` gives.
std::optional<NameWithNumbers> parse_name_with_numbers(const std::string& text, const NumberOf& number_of);

/// Fills `array` as `rule` says: "uniform(LOW, HIGH)", floats in [LOW, HIGH) and integers in [LOW, HIGH];
/// "constant(VALUE)"; "ascending", "descending" and "shuffled", the numbers from 0 on. Numbers may have names, whose
/// meaning `number_of` gives. Throws std::invalid_argument for another rule, and for numbers that the array's type does
/// not hold.
void fill(Array& array, const std::string& rule, Random& random, const NumberOf& number_of);

}  // namespace lanewise
