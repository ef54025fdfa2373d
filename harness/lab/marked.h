// How one written answer was marked: by the program, by a human, or not yet.
#pragma once

#include <cstdint>
#include <string>

namespace lanewise {

struct Marked {
  enum class Result : std::uint8_t {
    kRight,
    kWrong,
    kUnanswered,
    kWaiting,  ///< a free text not yet marked by a human; counts neither for nor against
    kByHand,   ///< a free text for which a human gave `points`
  };

  std::string id;  ///< of the question
  Result result = Result::kUnanswered;
  double points = 0;
  double max_points = 0;
  // For a free text only; otherwise empty.
  std::string text{};    ///< the question
  std::string answer{};  ///< as the student wrote it
  std::string remark{};  ///< the human's; may be empty
};

}  // namespace lanewise
