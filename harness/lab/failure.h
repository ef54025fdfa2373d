// A failure as a value: one sentence that says what went wrong, where, and what to do about it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace lanewise {

/// Why something could not be done, as a sentence ready for display.
struct Failure {
  std::string sentence;
};

/// Either a value or the reason there is none.
template <class T>
class Expected {
 public:
  Expected(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Expected(Failure failure) : content_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(content_); }
  T& operator*() { return std::get<T>(content_); }
  const T& operator*() const { return std::get<T>(content_); }
  T* operator->() { return &std::get<T>(content_); }
  const T* operator->() const { return &std::get<T>(content_); }

  /// Valid only if there is no value.
  const Failure& failure() const { return std::get<Failure>(content_); }
  const std::string& sentence() const { return failure().sentence; }

 private:
  std::variant<T, Failure> content_;
};

}  // namespace lanewise
