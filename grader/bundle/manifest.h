// manifest.json of a bundle: to text, and back, with a sentence for anything wrong with it.
#pragma once

#include <string>

#include "grader/bundle/bundle.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// The same manifest gives the same text.
std::string manifest_json(const Manifest& manifest);

/// The failure says where and what: "manifest.json: grading.seed must be a whole number, 0 or more".
Expected<Manifest> read_manifest(const std::string& text);

}  // namespace lanewise
