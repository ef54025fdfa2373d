// One request for each submission; the cases of a lab are made once for all of them.
#include "grader/grading/submission_grader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "grader/grading/class_record.h"
#include "grader/grading/digest.h"
#include "grader/grading/kept_inputs.h"
#include "grader/grading/secrets.h"
#include "grader/grading/student_confinement.h"
#include "grader/workplace/grading_terms.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnswers = "answers.toml";
// A class waits for its GPU, so its timing ends once points are known: where the baseline takes three times as long as
// the reference, 1 % of a time is a hundredth of the points of "fast". Boards, which rank, measure on.
constexpr double kHalfWidthForPoints = 0.01;
constexpr int kFewestSamplesForPoints = 12;
constexpr std::chrono::milliseconds kMostTimingOfASubmission = std::chrono::seconds(9);
constexpr std::size_t kCasesKept = 24;       // of a lab or two
constexpr std::size_t kCasesKeptOfGpus = 4;  // gigabytes each

const LabSelection* lab_called(const std::string& id, const std::vector<LabSelection>& labs) {
  for (const LabSelection& lab : labs)
    if (lab.file.id == id) return &lab;
  return nullptr;
}

class Grader : public SubmissionGrader {
 public:
  explicit Grader(const GradingMeans& means)
      : means_(means), instances_(means.workplace.backend.is_virtual() ? kCasesKept : kCasesKeptOfGpus) {}

  bool is_exclusive() const override { return !means_.workplace.backend.is_virtual(); }

  void prepare(const fs::path& chunk, const ChunkSubmission& submission) override {
    // Elsewhere, compiling is a part of grading like others. A failure occurs again, and is reported, in grade().
    const LabSelection* const lab = lab_called(submission.lab, means_.labs);
    if (is_exclusive() && lab != nullptr)
      static_cast<void>(
          build_submission(request(chunk, *lab, submission), means_.workplace.builder, means_.workplace.backend));
  }

  ChunkResult grade(const fs::path& chunk, const ChunkSubmission& submission) override {
    const LabSelection* const lab = lab_called(submission.lab, means_.labs);
    if (lab == nullptr) return {"", fmt::format("there is no lab '{}'", submission.lab)};
    std::string trouble = trouble_with_source(chunk, lab->file, submission.content);
    if (!trouble.empty()) return {"", std::move(trouble)};
    auto verdict = lanewise::grade(request(chunk, *lab, submission), means_.workplace.installation,
                                   means_.workplace.builder, means_.workplace.backend);
    if (!verdict) return {"", verdict.sentence()};
    verdict->submission = lab->file.skeleton;
    return {json_report({*verdict}), ""};
  }

 private:
  GradeRequest request(const fs::path& chunk, const LabSelection& lab, const ChunkSubmission& submission) {
    GradeRequest request = request_for(means_, lab, source_folder(chunk, submission.lab, submission.content));
    request.tasks = submission.tasks;
    request.pictures = picture_folder(chunk, submission);
    request.instances = &instances_;
    return request;
  }

  const GradingMeans& means_;
  Instances instances_;
};

// Also holds what a process must open that only has the chunk.
class OpenedGrader final : public SubmissionGrader {
 public:
  static Expected<std::shared_ptr<OpenedGrader>> open(const fs::path& folder, const Chunk& chunk);

  std::optional<Failure> check_terms(const Chunk& chunk) const;

  bool is_exclusive() const override { return grader_.is_exclusive(); }
  void prepare(const fs::path& chunk, const ChunkSubmission& submission) override {
    grader_.prepare(chunk, submission);
  }
  ChunkResult grade(const fs::path& chunk, const ChunkSubmission& submission) override {
    return grader_.grade(chunk, submission);
  }

 private:
  OpenedGrader(Workplace workplace, std::vector<LabSelection> labs, ChunkOptions options, std::string seed_file)
      : workplace_(std::move(workplace)),
        labs_(std::move(labs)),
        means_{workplace_, labs_, std::move(options), std::move(seed_file)} {}

  Workplace workplace_;
  std::vector<LabSelection> labs_;
  GradingMeans means_;
  Grader grader_{means_};
};

Expected<std::shared_ptr<OpenedGrader>> OpenedGrader::open(const fs::path& folder, const Chunk& chunk) {
  const Installation installation = this_installation();
  std::vector<std::string> names;
  for (const ChunkSubmission& each : chunk.submissions) names.push_back(each.lab);
  auto labs = known_labs(installation, names, Oracles::kBegun);
  if (!labs) return labs.failure();
  std::string seed_file;
  const fs::path file = folder / kChunkSeedFile;
  std::error_code error;
  if (fs::exists(file, error)) {
    const auto secrets = read_secrets(file, *labs);
    if (!secrets) return secrets.failure();
    add_hidden_cases(*secrets, *labs);
    const auto text = read_file(file, kLargestKeptInput);
    if (!text) return text.failure();
    seed_file = *text;
  }
  BackendChoice backend = BackendChoice::kVgpu;
  for (const auto& [name, choice] : class_backend_choices())
    if (name == chunk.options.backend) backend = choice;
  auto confinement = student_confinement(installation, backend, !chunk.options.has_sandbox);
  if (!confinement) return confinement.failure();
  auto workplace =
      open_workplace(installation, backend, std::move(*confinement), toolchain_choice(chunk.options.toolchain));
  if (!workplace) return workplace.failure();
  return std::shared_ptr<OpenedGrader>(
      new OpenedGrader(std::move(*workplace), std::move(*labs), chunk.options, std::move(seed_file)));
}

// Otherwise a grade would depend on the machine that made it.
std::optional<Failure> OpenedGrader::check_terms(const Chunk& chunk) const {
  std::map<std::string, std::string> terms;
  for (const ChunkSubmission& submission : chunk.submissions) {
    if (terms.count(submission.lab) == 0) {
      const LabSelection* lab = lab_called(submission.lab, labs_);
      if (lab == nullptr) return Failure{fmt::format("there is no lab '{}' on this machine", submission.lab)};
      if (const std::string trouble = lab->lab->trouble ? lab->lab->trouble() : ""; !trouble.empty())
        return Failure{trouble};
      LabSelection selected = *lab;
      selected.tasks = submission.tasks;
      const StoredTerms own = stored_terms(means_, selected);
      terms[submission.lab] = own.seen + own.scored;
    }
    if (terms[submission.lab] != submission.terms)
      return Failure{
          fmt::format("this machine would not grade {} like the one that made the chunk: it has another build of "
                      "Lanewise, other files in labs/ or solutions/, another compiler (here: {}) or another device "
                      "(here: {})",
                      submission.lab, workplace_.builder.toolchain().description(), workplace_.backend.device)};
  }
  return std::nullopt;
}

}  // namespace

GradeRequest request_for(const GradingMeans& means, const LabSelection& lab, const fs::path& folder) {
  GradeRequest request;
  request.lab = lab.lab;
  request.file = &lab.file;
  request.source = folder / lab.file.skeleton;
  request.answers = folder / kAnswers;
  request.key = means.workplace.installation.solutions / lab.file.id / kAnswers;
  request.tasks = lab.tasks;
  request.groups = means.options.groups;
  request.seed = means.options.seed;
  if (means.options.is_timed)
    request.timer = [](TimingRequest timing) {
      timing.most = std::min(timing.most, kMostTimingOfASubmission);
      timing.setup.rule.half_width = kHalfWidthForPoints;
      timing.setup.rule.fewest = kFewestSamplesForPoints;
      return time_entries(timing);
    };
  if (means.workplace.timed_on) request.timed_on = &*means.workplace.timed_on;
  return request;
}

GradingMeans means_of(const Workplace& workplace, const std::vector<LabSelection>& labs) {
  GradingMeans means{workplace, labs, {}, ""};
  means.options.backend = workplace.timed_on ? "both" : workplace.backend.name;
  means.options.toolchain = workplace.builder.toolchain().name();
  return means;
}

StoredTerms stored_terms(const GradingMeans& means, const LabSelection& lab) {
  const GradeRequest request = request_for(means, lab, "");
  return {digest_of({observing_terms(means.workplace, request), means.seed_file}) + ".",
          digest_of({grading_terms(means.workplace, request)})};
}

std::unique_ptr<Executor> local_grading(const GradingMeans& means, unsigned jobs) {
  return local_executor(
      [grader = std::make_shared<Grader>(means)](const fs::path&, const Chunk&)
          -> Expected<std::shared_ptr<SubmissionGrader>> { return std::shared_ptr<SubmissionGrader>(grader); },
      jobs);
}

MakeGrader grader_of_chunks() {
  struct Kept {
    std::string asked_for;
    std::shared_ptr<OpenedGrader> grader;
  };
  return [kept = std::make_shared<Kept>()](const fs::path& folder,
                                           const Chunk& chunk) -> Expected<std::shared_ptr<SubmissionGrader>> {
    const auto seed_file = read_file(folder / kChunkSeedFile, kLargestKeptInput);
    const std::string asked_for = chunk_toml({chunk.options, {}}) + (seed_file ? *seed_file : "");
    if (!kept->grader || kept->asked_for != asked_for) {
      auto grader = OpenedGrader::open(folder, chunk);
      if (!grader) return grader.failure();
      *kept = {asked_for, std::move(*grader)};
    }
    if (auto failure = kept->grader->check_terms(chunk)) return *failure;
    return std::shared_ptr<SubmissionGrader>(kept->grader);
  };
}

}  // namespace lanewise
