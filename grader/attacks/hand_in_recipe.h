// Recipes of hostile hand-ins: a few lines of text each, of which a test makes what no repository could keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// A file, link, device or archive to be made; within an archive, an entry of it.
struct Ingredient {
  enum class Kind { kFile, kLink, kHardLink, kPipe, kDevice, kArchive };

  Kind kind = Kind::kFile;
  std::string path;     ///< any bytes but 0; @NUMBER@ stands for a number where there are several
  std::string content;  ///< of a file; of links, where they lead
  std::size_t count = 1;
  std::uintmax_t size = 0;  ///< of a file with a hole at its end; 0: as long as its content
  std::vector<Ingredient> entries;
};

struct Recipe {
  std::string name;        ///< of its file; part of the first folder or file name of all that it makes
  std::string tries;       ///< one line
  std::size_t graded = 0;  ///< attempts that are graded nevertheless, all of them honest work or none that compiles
  std::string says;        ///< words that the overview of the class has to have
  std::vector<Ingredient> files;
};

/// What stands for something in recipes.
struct Staples {
  std::string honest;  ///< @HONEST@: a source that gets what it deserves
  std::string ada;     ///< @ADA@: path of another student's source
};

/// `text` with every `part` replaced by `by`.
std::string replaced_everywhere(std::string text, const std::string& part, const std::string& by);

/// Reads a recipe (TOML; README.md says what it may hold), or says what makes no sense in it.
Expected<Recipe> read_recipe(const std::filesystem::path& file, const Staples& staples);

/// Makes what the recipe says in the folder of a class; the failure says what could not be made.
std::optional<Failure> make_hand_in(const Recipe& recipe, const std::filesystem::path& folder);

}  // namespace lanewise
