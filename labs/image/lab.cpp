// The lab image as the harness sees it: a colour picture turned grey, and a grey picture blurred.
#include "harness/lab/lab.h"

#include "labs/image/illustrate.h"
#include "labs/image/misconceptions.h"
#include "labs/image/oracle.h"
#include "labs/image/pictures.h"

namespace lanewise::labs {
namespace {

using image_lab::extent_of;

// What the two tasks share: one grey picture comes out, and a level may be off by one.
Task picture_task(const std::string& name) {
  Task task;
  task.name = name;
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_levels(expected, got, 1);
  };
  task.illustrate = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got,
                       const std::filesystem::path& folder) {
    return image_lab::illustrate(expected.at(0), got.at(0), folder);
  };
  return task;
}

Task grayscale() {
  Task task = picture_task("grayscale");
  task.make = &image_lab::make_colour;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{image_lab::grayscale_oracle(problem)}; };
  // Three bytes in and one out a pixel; three multiplications and two additions.
  task.work = [](const Problem& problem) {
    const auto [width, height] = extent_of(problem);
    const double pixels = static_cast<double>(width) * static_cast<double>(height);
    return Work{4 * pixels, 5 * pixels};
  };
  task.misconceptions = image_lab::grayscale_mistakes();
  return task;
}

Task blur() {
  Task task = picture_task("blur");
  task.make = &image_lab::make_grey;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{image_lab::blur_oracle(problem)}; };
  // One byte in and one out a pixel. With sums that run along both directions a pixel takes two additions and two
  // subtractions whatever the radius, and one multiplication by the inverse of the count.
  task.work = [](const Problem& problem) {
    const auto [width, height] = extent_of(problem);
    const double pixels = static_cast<double>(width) * static_cast<double>(height);
    return Work{2 * pixels, 5 * pixels};
  };
  task.misconceptions = image_lab::blur_mistakes();
  return task;
}

}  // namespace

Lab image() { return {"image", {grayscale(), blur()}}; }

}  // namespace lanewise::labs
