#include "datasets/fuzz/hostile_files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "datasets/edge_list.h"
#include "datasets/image.h"
#include "datasets/matrix_market.h"
#include "datasets/npy.h"

namespace lanewise::fuzz {
namespace {

const std::string kName = "'file'";

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// A sentence that begins with the file's name and is fit to be shown.
void require_words(const DataError& error) {
  require(error.sentence.size() > kName.size() + 5 && error.sentence.compare(0, kName.size(), kName) == 0,
          "an error says nothing");
  require(error.sentence.size() < 1500, "an error repeats too much of the file");
  require(std::all_of(error.sentence.begin(), error.sentence.end(), [](char c) { return c >= ' ' && c <= '~'; }),
          "an error holds characters that cannot be shown");
}

void require_places(const Coordinates& places) {
  require(places.rows >= 0 && places.cols >= 0, "an extent is negative");
  require(places.row.size() == places.column.size(), "rows and columns differ in number");
  require(places.value.empty() || places.value.size() == places.row.size(), "places and values differ in number");
  for (std::size_t i = 0; i < places.row.size(); ++i)
    require(
        places.row[i] >= 0 && places.row[i] < places.rows && places.column[i] >= 0 && places.column[i] < places.cols,
        "a place lies outside");
  for (const float value : places.value) require(std::isfinite(value), "a value is not finite");
}

// Lines may end in either way: the same text with other ends must give the same.
using Decode = std::variant<Coordinates, DataError> (*)(std::string_view, const std::string&);
bool decode_places(std::string_view contents, Decode decode) {
  const auto read = decode(contents, kName);
  const auto* places = std::get_if<Coordinates>(&read);
  std::string with_returns;
  for (const char c : contents) {
    if (c == '\n') with_returns += '\r';
    with_returns += c;
  }
  const auto again = decode(with_returns, kName);
  const auto* same = std::get_if<Coordinates>(&again);
  require((places == nullptr) == (same == nullptr), "the ends of lines decide whether the text is read");
  if (places == nullptr || same == nullptr) {
    require_words(std::get<DataError>(read));
    require_words(std::get<DataError>(again));
    return false;
  }
  require_places(*places);
  require(places->rows == same->rows && places->cols == same->cols && places->row == same->row &&
              places->column == same->column && places->value == same->value,
          "the ends of lines decide what is read");
  return true;
}

}  // namespace

bool decode_as_matrix(std::string_view contents) { return decode_places(contents, decode_matrix_market); }

bool decode_as_graph(std::string_view contents) { return decode_places(contents, decode_edge_list); }

bool decode_as_array(std::string_view contents) {
  const auto read = decode_npy(contents, kName);
  if (const auto* error = std::get_if<DataError>(&read)) {
    require_words(*error);
    return false;
  }
  const auto& array = std::get<NpyArray>(read);
  std::size_t bytes = npy_size_of(array.type);
  for (const std::int64_t extent : array.shape) {
    require(extent >= 0, "an extent is negative");
    bytes *= static_cast<std::size_t>(extent);
  }
  require(array.bytes.size() == bytes, "an array's bytes do not fit its shape");
  require(array.bytes.size() <= contents.size(), "an array is larger than its file");
  return true;
}

bool decode_as_picture(std::string_view contents) {
  const auto read = decode_image({contents.begin(), contents.end()}, kName);
  if (const auto* error = std::get_if<DataError>(&read)) {
    require_words(*error);
    return false;
  }
  const auto& image = std::get<Image>(read);
  require(image.width > 0 && image.height > 0 && image.channels >= 1 && image.channels <= 4, "a picture is empty");
  require(image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) *
                                     static_cast<std::size_t>(image.channels),
          "a picture's samples do not fit its extents");
  return true;
}

}  // namespace lanewise::fuzz
