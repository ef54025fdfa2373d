// Accepts a submission: checks what was sent, stores its files, and issues a ticket.
#pragma once

#include <httplib.h>

#include <string>
#include <variant>
#include <vector>

#include "grader/class/course.h"
#include "grader/server/request_check.h"
#include "grader/server/server_store.h"
#include "harness/runner/find.h"

namespace lanewise {

/// What a student sent, as multipart/form-data with the fields of these names.
struct Upload {
  std::string lab;
  std::string source;
  std::string answers;  ///< may be empty
  std::string key;      ///< 16 to 64 letters, digits and '-'; empty: the submission is not sent again
};

/// The refusal says which field is missing, unknown, given twice, or not text.
std::variant<Upload, Refusal> read_upload(const httplib::Request& request, const std::vector<LabSelection>& labs,
                                          const ServerTerms& terms);

/// Once this has returned a receipt with a ticket, the submission survives a power cut.
std::variant<Receipt, Refusal> take_in(const Upload& upload, const Person& student, const LabSelection& lab,
                                       const ServerTerms& terms, ServerStore& store,
                                       const std::filesystem::path& course);

/// The lab of that id; null if there is none.
const LabSelection* find_lab(const std::vector<LabSelection>& labs, const std::string& id);

}  // namespace lanewise
