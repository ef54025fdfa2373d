// Counters as text, row by row.
#include "harness/runner/verdict/class_table.h"

#include <algorithm>

namespace lanewise {

void add_to_classes(const ClassesFile& file, const std::string& name, const CounterSums& sums, ClassTable& table) {
  const auto found = std::find(file.cases.begin(), file.cases.end(), name);
  if (found == file.cases.end()) return;
  if (table.title.empty()) {
    table.title = file.title;
    for (const std::string& counter : file.counters) table.headings.push_back(find_counter(counter)->heading);
    for (const std::string& each : file.cases) table.rows.push_back({each, {}});
  }
  ClassTable::Row& row = table.rows[static_cast<std::size_t>(found - file.cases.begin())];
  for (const std::string& name_of_counter : file.counters) {
    const Counter& counter = *find_counter(name_of_counter);
    row.values.push_back(counter_text(counter, value_of(counter, sums)));
  }
}

}  // namespace lanewise
