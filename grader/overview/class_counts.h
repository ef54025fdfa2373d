// Statistics of a class: a lab's points, cases, misconceptions and findings, and what a person should look at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grader/class/graded_class.h"
#include "grader/overview/similarity.h"

namespace lanewise {

/// Which students share something: positions in GradedClass::students, ascending, each once.
using SharedBy = std::vector<std::size_t>;

struct PartCount {
  std::string name;       ///< "correct", ...; over all tasks of the lab
  double points = 0;      ///< mean over those for whom it was scored
  double max_points = 0;  ///< likewise
};

struct MisconceptionCount {
  std::string name;
  std::string hint;
  SharedBy students;
};

struct CaseCount {
  std::string task;
  std::string label;  ///< "block + 1 (n = 1025)"
  std::string why;
  std::size_t ran = 0;  ///< students whose submission ran it
  SharedBy failed;
  std::vector<MisconceptionCount> misconceptions;  ///< among those who failed it; the most common first
};

struct FindingCount {
  std::string tool;
  std::string kind;
  SharedBy students;
};

/// Points are as graded, before lateness and extra credit, which say nothing about the lab.
struct LabCounts {
  std::string id;
  std::string title;
  double max_points = 0;
  SharedBy graded;             ///< whose counted attempt has a verdict
  SharedBy not_graded;         ///< submitted something, but nothing that could be graded
  SharedBy missing;            ///< enrolled, and submitted nothing
  SharedBy late;               ///< of those graded
  std::vector<double> points;  ///< of each in `graded`
  double mean = 0;             ///< of `points`; 0 if there are none
  double median = 0;
  std::vector<PartCount> parts;
  std::vector<CaseCount> cases;                    ///< in the order of the lab
  std::vector<MisconceptionCount> misconceptions;  ///< the most common first
  std::vector<FindingCount> findings;              ///< the most common first
};

/// The labs of the class, in its order.
std::vector<LabCounts> count_class(const GradedClass& graded);

/// The attempt that counts; the last one if none is marked as counting; null if there are none.
const GradedAttempt* shown_attempt(const GradedStudent& student, const std::string& lab);

/// How many of `points` are in each of `bins` equal bins from 0 to `max_points`; full marks and more are in the last.
std::vector<std::size_t> distribution(const std::vector<double>& points, double max_points, std::size_t bins);

/// Attempts without a verdict, for the same reason.
struct Trouble {
  struct Whose {
    std::size_t student = 0;
    const GradedAttempt* attempt = nullptr;
  };

  std::string sentence;
  std::vector<Whose> attempts;  ///< by student
};

/// The most common first; it points into `graded`.
std::vector<Trouble> count_troubles(const GradedClass& graded);

/// Why a person should look at somebody's work before it counts; the most pressing first.
enum class LookReason {
  kNotGraded,
  kNotEnrolled,
  kDoesNotCompile,
  kEmpty,
  kMissing,
  kNotStarted,
  kRefused,
  kCallRefused,
  kSpeedUnderReview,
  kLibraryUsed,
  kSimilar,
  kWaitsForHuman,
  kNothing,      ///< in any lab
  kLabsMissing,  ///< nothing in some of them
};

/// One student and one reason, whatever the number of labs and tasks that it holds for.
struct LookItem {
  LookReason reason = LookReason::kNotGraded;
  std::size_t student = 0;
  std::vector<std::string> labs;  ///< in the order of the class; none: it is not about a lab
  std::string sentence;           ///< of the first; may be empty
  std::size_t more = 0;           ///< further sentences
};

/// By reason, then by student. Only counted attempts are looked at, except that every attempt that could not be graded
/// is listed. Nobody is "not in the roster" of a class without one.
std::vector<LookItem> to_be_looked_at(const GradedClass& graded, const std::vector<SimilarGroup>& groups);

/// "Speed under review"
const char* words_for(LookReason reason);

}  // namespace lanewise
