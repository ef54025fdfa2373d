// The labs of this folder, compiled in or declared, for their tests.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/declared/known_labs.h"

namespace lanewise {

/// Oracles of declared labs are compiled when they are asked.
inline std::vector<Lab> labs_of_the_tree() {
  Installation installation = find_installation("/proc/self/exe");
  installation.labs = LANEWISE_LABS_FOLDER;
  const auto known = known_labs(installation, {}, Oracles::kLater);
  if (!known) throw std::runtime_error(known.sentence());
  std::vector<Lab> labs;
  for (const LabSelection& each : *known) labs.push_back(*each.lab);
  return labs;
}

inline Lab lab_of_the_tree(const std::string& id) {
  const std::vector<Lab> labs = labs_of_the_tree();
  return *std::find_if(labs.begin(), labs.end(), [&id](const Lab& lab) { return lab.id == id; });
}

}  // namespace lanewise
