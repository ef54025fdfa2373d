// `lanewise data`: lists, shows, makes, fetches and verifies data sets.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <set>

#include "datasets/data_path.h"
#include "datasets/image.h"
#include "datasets/sha256.h"
#include "grader/commands/commands.h"
#include "grader/commands/option_checks.h"
#include "grader/data/catalogue.h"
#include "grader/data/description.h"
#include "grader/data/download.h"
#include "grader/data/generators.h"
#include "grader/data/plots.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/number_text.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr int kExitFailed = kExitNotGraded;  // something was not done; a message says what

constexpr const char* kDataExamples = R"(
Examples:
  lanewise data list                                what is available, and where
  lanewise data show rajat01.mtx                    what it is
  lanewise data show facebook_combined.txt --svg degrees.svg
  lanewise data make rmat-12.mtx                    a generated set of the catalogue
  lanewise data make rmat_graph scale=16 edge_factor=8 --seed 3 --out mine.mtx
  lanewise data fetch facebook_combined.txt         downloaded, and checked by its digest
  lanewise data verify                              whether the files here match the catalogue

Files are looked for in the course's datasets/images and datasets/matrices, then in the folders listed in the
environment variable LANEWISE_DATA, separated by colons, or, if it is not set, in ~/.local/share/lanewise. Fetched and
generated files go to the first folder in LANEWISE_DATA, or to ~/.local/share/lanewise.

Exit codes: 0 done, 1 something could not be done (a message says what), 2 the command line makes no sense, 3 something
lanewise needs is missing: a network, a program, a writable folder.)";

constexpr const char* kShowExamples = R"(
Examples:
  lanewise data show jagmesh7.mtx                 rows, entries, row lengths, whether it is symmetric
  lanewise data show rajat01.mtx --svg spy.svg    where its entries are, as a picture
  lanewise data show graph.mtx --as graph         a matrix interpreted as a graph: degrees, components
  lanewise data show rmat_graph                   what a generator makes, without a file
  lanewise data show keys.npy --svg keys.svg      a histogram)";

constexpr const char* kMakeExamples = R"(
Examples:
  lanewise data make rmat-12.mtx                           under that name, where labs and programs find it
  lanewise data make rmat_graph scale=20 --out big.mtx     Matrix Market
  lanewise data make lattice_graph width=500 height=300 --out roads.txt    an edge list
  lanewise data make zipf_keys n=1000000 --seed 7 --out keys.npy           numpy.load("keys.npy")

'lanewise data list' names the generators and their parameters. The same seed gives the same file on every machine.)";

constexpr const char* kFetchExamples = R"(
Examples:
  lanewise data fetch bcsstk13.mtx
  lanewise data fetch --all

An interrupted fetch resumes where it stopped. A file appears only once it is complete and its SHA-256 matches the
catalogue.)";

struct DataOptions {
  std::vector<std::string> names;
  std::string name;
  std::vector<std::string> parameters;
  std::string as;
  std::string svg;
  std::string out;
  std::uint64_t seed = 1;
  bool has_seed = false;
  bool all = false;
  bool again = false;
};

class Data {
 public:
  explicit Data(const DataOptions& options) : options_(options) {}

  int list();
  int show();
  int make();
  int fetch_all();
  int verify();

 private:
  int fail(int code, const std::string& sentence);
  void print(const std::string& line) const;
  int open();
  int print_sets(DataSet::Kind kind, const std::string& heading);
  fs::path place_of(const DataSet& set) const;
  std::string where(const DataSet& set) const;
  Expected<ParameterValues> values_for(const Generator& generator, const DataSet* set) const;
  int show_contents(const std::string& title, const fs::path& file, const DataContents& contents);
  int write(const fs::path& file, const Generator& generator, const ParameterValues& values, const MadeData& made);
  int fetch_one(const DataSet& set);
  bool is_changed() const { return options_.has_seed || !options_.parameters.empty(); }

  const DataOptions& options_;
  TextStyle style_ = style_for(STDOUT_FILENO);
  Progress progress_{STDERR_FILENO, style_for(STDERR_FILENO).width};
  std::vector<DataSet> sets_;
};

int Data::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise data: %s\n", safe_line(sentence).c_str());
  return code;
}

void Data::print(const std::string& line) const {
  const std::string safe = safe_line(line) + "\n";
  std::fputs((style_.utf8 ? safe : ascii_text(safe)).c_str(), stdout);
}

int Data::open() {
  auto sets = read_catalogue(datasets_folder());
  if (!sets) return fail(kExitEnvironment, sets.sentence());
  sets_ = std::move(*sets);
  return kExitDone;
}

// Empty if it is not here.
fs::path Data::place_of(const DataSet& set) const {
  std::error_code ignored;
  if (set.kind == DataSet::Kind::kShipped && fs::is_regular_file(set.path, ignored)) return set.path;
  const auto found = find_data(set.name);
  const auto* path = std::get_if<fs::path>(&found);
  return path != nullptr ? *path : fs::path();
}

std::string Data::where(const DataSet& set) const {
  const fs::path place = place_of(set);
  return place.empty() ? "not here" : shown_path(place.parent_path());
}

int Data::print_sets(DataSet::Kind kind, const std::string& heading) {
  std::size_t name_width = 0;
  std::size_t where_width = 0;
  bool is_any = false;
  for (const DataSet& set : sets_) {
    name_width = std::max(name_width, columns_of(safe_line(set.name)));
    if (set.kind != kind) continue;
    is_any = true;
    where_width = std::max(where_width, columns_of(safe_line(where(set))));
  }
  if (!is_any) return kExitDone;
  print("");
  print(heading);
  for (const DataSet& set : sets_) {
    if (set.kind != kind) continue;
    const std::string place = safe_line(where(set));
    print(fmt::format("  {} {}{}  {:>8}  {}{}  {}", place == "not here" ? "–" : "✓", set.name,
                      std::string(name_width - columns_of(safe_line(set.name)), ' '),
                      set.bytes < 0 ? "" : bytes_text(static_cast<double>(set.bytes)), place,
                      std::string(where_width - columns_of(place), ' '), set.what));
  }
  return kExitDone;
}

int Data::list() {
  if (const int code = open(); code != kExitDone) return code;
  print_sets(DataSet::Kind::kShipped, "Shipped with the course");
  print_sets(DataSet::Kind::kUrl, "To be downloaded: lanewise data fetch NAME");
  print_sets(DataSet::Kind::kGenerated, "To be generated: lanewise data make NAME");
  print("");
  print("Generators: lanewise data make GENERATOR [PARAMETER=VALUE ...] [--seed N] --out FILE");
  for (const Generator& generator : all_generators()) {
    std::string parameters;
    for (const GeneratorParameter& parameter : generator.parameters)
      parameters += fmt::format("{}={} ", parameter.name, parameter.otherwise);
    print(fmt::format("  {:<19}  {:<6}  {:<35} {}", generator.name, kind_text(generator.makes), parameters,
                      generator.what));
  }
  print("");
  const fs::path downloads = download_folder();
  print(downloads.empty() ? "There is no folder for fetched and generated files: name one in LANEWISE_DATA."
                          : fmt::format("Fetched and generated files go to {}.", downloads.string()));
  return kExitDone;
}

// The catalogue's, with what the command line says instead.
Expected<ParameterValues> Data::values_for(const Generator& generator, const DataSet* set) const {
  ParameterValues values;
  if (set != nullptr) values = set->parameters;
  for (const std::string& text : options_.parameters) {
    const std::size_t sign = text.find('=');
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto read = sign == std::string::npos ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                                : std::from_chars(text.data() + sign + 1, end, value);
    if (read.ec != std::errc() || read.ptr != end)
      return Failure{fmt::format("'{}' is not PARAMETER=WHOLE-NUMBER, such as scale=12", text)};
    values[text.substr(0, sign)] = value;
  }
  if (options_.has_seed) {
    if (options_.seed > INT64_MAX) return Failure{fmt::format("the seed {} is larger than 2^63 - 1", options_.seed)};
    values["seed"] = static_cast<std::int64_t>(options_.seed);
  }
  if (auto failure = check_parameters(generator, values)) return *failure;
  return values;
}

int Data::show_contents(const std::string& title, const fs::path& file, const DataContents& contents) {
  Facts facts = facts_of(contents);
  std::error_code ignored;
  if (!file.empty())
    facts.emplace_back("file",
                       fmt::format("{}, {} bytes", shown_path(file), with_commas(fs::file_size(file, ignored))));
  progress_.clear();
  print(title);
  std::size_t widest = 0;
  for (const auto& [name, text] : facts) widest = std::max(widest, name.size());
  for (const auto& [name, text] : facts) print(fmt::format("  {:<{}}  {}", name, widest, text));
  if (options_.svg.empty()) return kExitDone;
  const auto plot = plot_of(contents, title);
  if (!plot) return fail(kExitFailed, fmt::format("{} cannot be plotted: {}", title, plot.sentence()));
  if (const auto error = write_report(options_.svg, *plot)) return fail(kExitFailed, error->sentence);
  print(fmt::format("  {:<{}}  {}", "picture", widest, options_.svg));
  return kExitDone;
}

int Data::show() {
  if (const int code = open(); code != kExitDone) return code;
  if (!options_.svg.empty() && fs::path(options_.svg).extension() != ".svg")
    return fail(kExitUsage, fmt::format("--svg {}: the name of the picture must end in .svg", options_.svg));
  const TakenAs as = options_.as == "graph"    ? TakenAs::kGraph
                     : options_.as == "matrix" ? TakenAs::kMatrix
                                               : TakenAs::kWhatItIs;
  const DataSet* set = find_set(sets_, options_.name);
  std::error_code ignored;
  fs::path file = set != nullptr ? place_of(*set) : fs::path();
  if (file.empty() && fs::exists(options_.name, ignored)) file = options_.name;
  if (file.empty() && set == nullptr) {
    const auto found = find_data(options_.name);
    if (const auto* path = std::get_if<fs::path>(&found)) file = *path;
  }
  if (!file.empty()) {
    if (is_changed()) return fail(kExitUsage, "seeds and parameters apply to generated data, and this is a file");
    progress_.show("reading");
    const auto contents = read_data(file, as);
    if (!contents) return fail(kExitFailed, contents.sentence());
    return show_contents(file.filename().string(), file, *contents);
  }
  if (set != nullptr && set->kind != DataSet::Kind::kGenerated)
    return fail(kExitFailed, fmt::format("{0} is not here; 'lanewise data fetch {0}' fetches it", set->name));
  const Generator* generator = find_generator(set != nullptr ? set->generator : options_.name);
  if (generator == nullptr)
    return fail(kExitUsage, fmt::format("there is no file, data set or generator '{}'; 'lanewise data list' lists them",
                                        options_.name));
  const auto values = values_for(*generator, set);
  if (!values) return fail(kExitUsage, values.sentence());
  progress_.show("making");
  return show_contents(options_.name, {}, contents_of(make_data(*generator, *values), generator->makes));
}

int Data::write(const fs::path& file, const Generator& generator, const ParameterValues& values, const MadeData& made) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  progress_.show(fmt::format("writing {}", shown_path(file)));
  if (const auto failure = write_data(file, made, comment_of(generator, values)))
    return fail(kExitFailed, failure->sentence);
  return kExitDone;
}

int Data::make() {
  if (const int code = open(); code != kExitDone) return code;
  const DataSet* set = find_set(sets_, options_.name);
  if (set != nullptr && set->kind != DataSet::Kind::kGenerated)
    return fail(kExitUsage, fmt::format("{} is not generated but {}", set->name,
                                        set->kind == DataSet::Kind::kShipped
                                            ? "shipped"
                                            : fmt::format("fetched: lanewise data fetch {}", set->name)));
  const Generator* generator = find_generator(set != nullptr ? set->generator : options_.name);
  if (generator == nullptr)
    return fail(kExitUsage, fmt::format("there is no data set or generator '{}'; the generators are {}", options_.name,
                                        generator_names()));
  const auto values = values_for(*generator, set);
  if (!values) return fail(kExitUsage, values.sentence());
  if (options_.out.empty() && (set == nullptr || is_changed()))
    return fail(kExitUsage, set == nullptr
                                ? "--out FILE is missing: .mtx for graphs and matrices, .txt for graphs, .npy for keys"
                                : fmt::format("the catalogue fixes the contents of {}: name another file with --out "
                                              "for another seed or other parameters",
                                              set->name));
  fs::path file = options_.out;
  if (file.empty() && set != nullptr) {
    const fs::path downloads = download_folder();
    if (downloads.empty()) return fail(kExitEnvironment, "there is no folder to write to: name one in LANEWISE_DATA");
    file = downloads / set->name;
  }
  if (!can_hold(file.extension().string(), generator->makes))
    return fail(kExitUsage, fmt::format("{}: {} are written to {}", file.string(),
                                        generator->makes == DataKind::kKeys    ? "keys"
                                        : generator->makes == DataKind::kGraph ? "graphs"
                                                                               : "matrices",
                                        generator->makes == DataKind::kKeys    ? ".npy"
                                        : generator->makes == DataKind::kGraph ? ".mtx or .txt"
                                                                               : ".mtx"));
  progress_.show(fmt::format("generating {}", options_.name));
  const MadeData made = make_data(*generator, *values);
  if (const int code = write(file, *generator, *values, made); code != kExitDone) return code;
  progress_.clear();
  std::error_code ignored;
  print(fmt::format("{}  {}", shown_path(file), bytes_text(static_cast<double>(fs::file_size(file, ignored)))));
  if (file.extension() == ".txt") {
    const auto lengths = row_lengths(std::get<Csr>(made));
    const auto isolated = std::count(lengths.begin(), lengths.end(), 0);
    if (isolated > 0)
      print(fmt::format("{} vertices have no edge: an edge list omits them, a .mtx file keeps them",
                        with_commas(isolated)));
  }
  if (set == nullptr || is_changed() || set->sha256.empty()) return kExitDone;
  const auto digest = sha256_of_file(file);
  const auto* hash = std::get_if<std::string>(&digest);
  if (file.filename() == set->name && (hash == nullptr || *hash != set->sha256))
    return fail(kExitFailed,
                fmt::format("{} does not match the catalogue: its SHA-256 should be {}", file.string(), set->sha256));
  return kExitDone;
}

int Data::fetch_one(const DataSet& set) {
  const fs::path here = place_of(set);
  if (!here.empty() && !options_.again) {
    const auto digest = sha256_of_file(here);
    const auto* hash = std::get_if<std::string>(&digest);
    if (hash != nullptr && *hash == set.sha256) {
      print(fmt::format("{}  is already here", shown_path(here)));
      return kExitDone;
    }
    return fail(kExitFailed, fmt::format("{} is here, but does not match the catalogue; --again fetches it to {}",
                                         here.string(), download_folder().string()));
  }
  FetchOptions options;
  options.folder = download_folder();
  if (options.folder.empty())
    return fail(kExitEnvironment, "there is no folder to write to: name one in LANEWISE_DATA");
  options.progress = [this, &set](const std::string& text) { progress_.show(fmt::format("{}: {}", set.name, text)); };
  const FetchResult result = fetch(set, options);
  progress_.clear();
  if (result.outcome == FetchOutcome::kDone) {
    std::error_code ignored;
    const fs::path file = options.folder / set.name;
    print(fmt::format("{}  {}; {}", shown_path(file), bytes_text(static_cast<double>(fs::file_size(file, ignored))),
                      set.licence));
    return kExitDone;
  }
  return fail(result.outcome == FetchOutcome::kFailed ? kExitFailed : kExitEnvironment,
              fmt::format("{}: {}", set.name, result.sentence));
}

int Data::fetch_all() {
  if (const int code = open(); code != kExitDone) return code;
  std::vector<const DataSet*> wanted;
  for (const std::string& name : options_.names) {
    const DataSet* set = find_set(sets_, name);
    if (set == nullptr)
      return fail(kExitUsage, fmt::format("the catalogue has no '{}'; 'lanewise data list' lists the data sets", name));
    if (set->kind == DataSet::Kind::kGenerated)
      return fail(kExitUsage, fmt::format("{0} is not fetched but generated: lanewise data make {0}", name));
    if (set->kind == DataSet::Kind::kShipped)
      return fail(kExitUsage, fmt::format("{} is not fetched but shipped: {}", name, shown_path(set->path)));
    wanted.push_back(set);
  }
  if (options_.all)
    for (const DataSet& set : sets_)
      if (set.kind == DataSet::Kind::kUrl) wanted.push_back(&set);
  if (wanted.empty()) return fail(kExitUsage, "name the data sets to fetch, or give --all");
  int code = kExitDone;
  for (const DataSet* set : wanted) {
    code = std::max(code, fetch_one(*set));
    if (code == kExitEnvironment) return code;  // the next one would fail in the same way
  }
  return code;
}

int Data::verify() {
  if (const int code = open(); code != kExitDone) return code;
  std::vector<const DataSet*> chosen;
  for (const std::string& name : options_.names) {
    const DataSet* set = find_set(sets_, name);
    if (set == nullptr)
      return fail(kExitUsage, fmt::format("the catalogue has no '{}'; 'lanewise data list' lists the data sets", name));
    chosen.push_back(set);
  }
  if (options_.names.empty())
    for (const DataSet& set : sets_) chosen.push_back(&set);
  int code = kExitDone;
  std::size_t right = 0;
  std::size_t absent = 0;
  for (const DataSet* set : chosen) {
    const fs::path place = place_of(*set);
    // What is shipped must be there; others only if they were asked for.
    if (place.empty()) {
      ++absent;
      if (set->kind == DataSet::Kind::kShipped || !options_.names.empty())
        code = fail(kExitFailed, fmt::format("{} is not here", set->name));
      continue;
    }
    if (set->sha256.empty()) {
      print(fmt::format("– {}  the catalogue has no digest for it", shown_path(place)));
      continue;
    }
    progress_.show(fmt::format("reading {}", set->name));
    const auto digest = sha256_of_file(place);
    progress_.clear();
    const auto* hash = std::get_if<std::string>(&digest);
    if (hash == nullptr)
      code = fail(kExitFailed, std::get<DataError>(digest).sentence);
    else if (*hash != set->sha256)
      code = fail(kExitFailed, fmt::format("{} does not match the catalogue: its SHA-256 is {}, not {}", place.string(),
                                           *hash, set->sha256));
    else
      print(fmt::format("✓ {}", shown_path(place)));
    right += hash != nullptr && *hash == set->sha256 ? 1 : 0;
  }
  print(fmt::format("{} of {} match the catalogue, {} are not here", right, chosen.size() - absent, absent));
  return code;
}

}  // namespace

void add_data_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DataOptions>();
  CLI::App* data = app.add_subcommand("data", "List, show, make, fetch and verify data sets");
  data->footer(kDataExamples);
  data->require_subcommand(1);

  CLI::App* list = data->add_subcommand("list", "List every data set and generator, and where files are");
  list->callback([options, &exit_code] { exit_code = Data(*options).list(); });

  CLI::App* show = data->add_subcommand("show", "Describe a data set, a file or a generator's data");
  show->footer(kShowExamples);
  show->add_option("name", options->name, "A data set, a file, or a generator")->required()->type_name("NAME|FILE");
  show->add_option("parameters", options->parameters, "The generator's parameters")->type_name("PARAMETER=VALUE");
  show->add_option("--svg", options->svg, "Plot it: degrees, positions or values")->type_name("FILE");
  show->add_option("--as", options->as,
                   "Interpret a graph or matrix as this (default: edge lists as graphs, .mtx as matrices)")
      ->check(CLI::IsMember({"graph", "matrix"}));
  CLI::Option* show_seed = show->add_option("--seed", options->seed, "The generator's seed")->check(whole_number());
  show->callback([options, show_seed, &exit_code] {
    options->has_seed = show_seed->count() > 0;
    exit_code = Data(*options).show();
  });

  CLI::App* make = data->add_subcommand("make", "Make a data set and write it to a file");
  make->footer(kMakeExamples);
  make->add_option("name", options->name, "A data set or a generator")->required()->type_name("NAME");
  make->add_option("parameters", options->parameters, "The generator's parameters, in place of the defaults")
      ->type_name("PARAMETER=VALUE");
  CLI::Option* make_seed = make->add_option("--seed", options->seed, "Determines everything random")
                               ->check(whole_number())
                               ->capture_default_str();
  make->add_option("--out", options->out, "The file: .mtx, .txt or .npy")->type_name("FILE");
  make->callback([options, make_seed, &exit_code] {
    options->has_seed = make_seed->count() > 0;
    exit_code = Data(*options).make();
  });

  CLI::App* fetch = data->add_subcommand("fetch", "Download data sets");
  fetch->footer(kFetchExamples);
  fetch->add_option("names", options->names, "Data sets")->type_name("NAME");
  fetch->add_flag("--all", options->all, "Everything that can be fetched");
  fetch->add_flag("--again", options->again, "Even if a file of that name is here");
  fetch->callback([options, &exit_code] { exit_code = Data(*options).fetch_all(); });

  CLI::App* verify = data->add_subcommand("verify", "Check whether the files here match the catalogue");
  verify->add_option("names", options->names, "Data sets; all that are here if none is named")->type_name("NAME");
  verify->callback([options, &exit_code] { exit_code = Data(*options).verify(); });
}

}  // namespace lanewise
