// Error codes with their names and descriptions; the table is generated at build time by asking the toolkit's own
// runtime.
#pragma once

namespace vgpu::cudart {

struct ErrorRow {
  int code;
  const char* name;
  const char* description;
};

extern const ErrorRow kErrors[];
extern const unsigned long kErrorCount;

struct ErrorTable {
  const ErrorRow* begin() const { return ::vgpu::cudart::kErrors; }
  const ErrorRow* end() const { return ::vgpu::cudart::kErrors + kErrorCount; }
};

}  // namespace vgpu::cudart
