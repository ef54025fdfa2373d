// Recipes for hostile submissions: a few lines of text each, from which a test makes files that no repository could
// hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// A file, link, device or archive to be created; within an archive, one of its entries.
struct Ingredient {
  enum class Kind { kFile, kLink, kHardLink, kPipe, kDevice, kArchive };

  Kind kind = Kind::kFile;
  std::string path;     ///< any bytes but 0; @NUMBER@ stands for a number where there are several
  std::string content;  ///< of a file; for links, their targets
  std::size_t count = 1;
  std::uintmax_t size = 0;  ///< of a file with a hole at its end; 0: as long as its content
  std::vector<Ingredient> entries;
};

struct Recipe {
  std::string name;        ///< of its file; part of the first folder or file name of all that it makes
  std::string tries;       ///< one line
  std::size_t graded = 0;  ///< attempts that are graded nevertheless, either all honest work or none that compiles
  std::string says;        ///< words that the class overview must contain
  std::vector<Ingredient> files;
};

/// The placeholders in recipes.
struct Staples {
  std::string honest;  ///< @HONEST@: a source that gets what it deserves
  std::string ada;     ///< @ADA@: path of another student's source
};

/// `text` with every `part` replaced by `by`.
std::string replaced_everywhere(std::string text, const std::string& part, const std::string& by);

/// Reads a recipe (TOML; README.md says what it may contain), or says what is wrong with it.
Expected<Recipe> read_recipe(const std::filesystem::path& file, const Staples& staples);

/// Creates the recipe's files in the folder of a class; the failure says what could not be created.
std::optional<Failure> make_hand_in(const Recipe& recipe, const std::filesystem::path& folder);

}  // namespace lanewise
