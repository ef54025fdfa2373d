// `lanewise profile`: the devices that the virtual GPU can model, and a profile of the GPU at hand.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "grader/commands/commands.h"
#include "grader/commands/toolchain_option.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/report/safe_text.h"
#include "harness/runner/interruption.h"
#include "harness/runner/process.h"
#include "harness/toolchain/toolchain.h"
#include "harness/vgpu/cost/measured_profile.h"
#include "harness/vgpu/cost/profile.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProfileExamples = R"(
Examples:
  lanewise profile                              list the built-in profiles
  lanewise profile --show t4                    one of them, with the source of each number
  lanewise profile --measure --out a40.toml     measure this machine's GPU, and compare it with the nearest built-in one
  lanewise profile --measure --like a100        what cannot be measured is the A100's
  lanewise run --profile a40.toml -- ./a.out    a program with the times of that GPU, on any machine

In a lab.toml, profile = "a40.toml" names such a file in the lab's folder. (Then `lanewise bench` once, for times to
compare with.) What the program labs/measure/device_profile.cu measures takes a few seconds on a GPU. Without one, it runs on the virtual
GPU, whose profile it gives back.

Exit codes: 0 done, 2 the command line makes no sense, 3 something lanewise needs is missing, or the file cannot be
written, 130 interrupted.)";

constexpr std::chrono::minutes kLongest{10};
constexpr std::size_t kMostOutput = 1 << 20;
constexpr const char* kScaleOnGpu = "64";  // of the program's work: long enough for a GPU's clock

struct ProfileOptions {
  bool measure = false;
  bool replaces = false;
  std::string show, out, like, profile = "h200";
  std::string backend = "auto", toolchain = "auto";
};

int end_profile(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise profile: %s\n", safe_line(sentence).c_str());
  return code;
}

void announce(const std::string& sentence) { std::fprintf(stderr, "lanewise: %s\n", safe_line(sentence).c_str()); }

int list_profiles() {
  std::fputs("profile   device                    multiprocessors  clock     memory   bandwidth\n", stdout);
  for (const std::string& name : vgpu::built_in_profiles()) {
    const auto profile = std::get<vgpu::DeviceProfile>(vgpu::load_profile(name));
    constexpr double kGibi = 1 << 30;
    fmt::print("{:<8}  {:<24}  {:>15}  {:.2f} GHz  {:>4.0f} GiB  {:>5.0f} GB/s\n", name, profile.name, profile.sm_count,
               profile.gigahertz(), static_cast<double>(profile.memory) / kGibi, profile.dram_bytes_per_nanosecond());
  }
  std::fputs("\n`lanewise profile --show NAME` prints one, with the source of each number.\n", stdout);
  return kExitDone;
}

int show_profile(const std::string& name) {
  const auto text = vgpu::profile_text(name);
  if (const auto* const problem = std::get_if<std::string>(&text)) return end_profile(kExitUsage, *problem);
  std::fputs(std::get<vgpu::ProfileText>(text).toml.c_str(), stdout);
  return kExitDone;
}

/// What `command` prints, run here, where a profile's relative path means the same file.
Expected<std::string> output_of(const std::vector<std::string>& command) {
  ProcessOptions options;
  options.command = command;
  std::error_code ignored;
  options.folder = fs::current_path(ignored);
  for (char** variable = environ; *variable != nullptr; ++variable) options.environment.emplace_back(*variable);
  const auto finished = run_to_end(options, kLongest, kMostOutput);
  if (!finished) return finished.failure();
  if (is_interrupted()) return Failure{"interrupted"};
  if (finished->timed_out)
    return Failure{fmt::format("{} {} did not end within {} minutes", command[0], command[1], kLongest.count())};
  if (!finished->succeeded()) return Failure{fmt::format("{} failed: {}", command[0], finished->output)};
  return finished->output;
}

/// What clang compiles is linked with the virtual GPU's runtime, and would measure that.
std::optional<Failure> prefer_runtime_of_gpu(const ProfileOptions& options, const Installation& installation) {
  const auto toolchain = find_toolchain(toolchain_choice(options.toolchain), installation);
  if (!toolchain) return toolchain.failure();
  if (const fs::path& runtime = installation.nvidia_runtime; (*toolchain)->runtime() != runtime.filename())
    return Failure{fmt::format("the program wants {}, and the GPU has {}; try --toolchain nvcc",
                               (*toolchain)->runtime(), runtime.string())};
  const char* const others = std::getenv("LD_LIBRARY_PATH");
  const std::string folders = installation.nvidia_runtime.parent_path().string();
  setenv("LD_LIBRARY_PATH", (others == nullptr ? folders : folders + ":" + others).c_str(), 1);
  return std::nullopt;
}

/// What the measuring program prints: compiled by this program's own `nvcc`, run on the GPU or by its own `run`.
Expected<std::string> measure(const ProfileOptions& options, const Installation& installation, const Backend& backend) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.failure();
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string program = (folder->path() / "device_profile").string();
  std::string architecture = backend.architecture;
  if (backend.is_virtual()) {
    const auto device = std::get<vgpu::DeviceProfile>(vgpu::load_profile(options.profile));
    architecture = fmt::format("{}{}", device.compute_major, device.compute_minor);
  }
  announce("compiling labs/measure/device_profile.cu");
  if (const auto compiled =
          output_of({self, "nvcc", "--toolchain", options.toolchain, "-std=c++17", "-arch=sm_" + architecture, "-o",
                     program, (installation.labs / "measure" / "device_profile.cu").string()});
      !compiled)
    return compiled.failure();
  if (!backend.is_virtual()) {
    if (const auto failure = prefer_runtime_of_gpu(options, installation)) return *failure;
    announce(fmt::format("measuring on {}, a few seconds; nothing else should run there", backend.device));
    return output_of({program, kScaleOnGpu});
  }
  announce(fmt::format("measuring on the virtual GPU with the profile {}, up to half a minute", options.profile));
  return output_of(
      {self, "run", "--monitor", "counters", "--devices", "2", "--profile", options.profile, "--", program});
}

/// Each number beside that of the profile it is compared with, on stderr: what was measured wrongly stands out.
void compare(const std::vector<vgpu::MeasuredNumber>& numbers) {
  std::string text = fmt::format("\n{:<38} {:>12} {:>12} {:>7}\n", "", "measured", "known", "ratio");
  for (const vgpu::MeasuredNumber& number : numbers)
    text += fmt::format(
        "{:<38} {:>12} {:>12} {:>7.2f}\n", number.key, number.measured, number.known,
        static_cast<double>(number.measured) / static_cast<double>(std::max<std::int64_t>(number.known, 1)));
  std::fputs(text.c_str(), stderr);
}

int measure_and_write(const ProfileOptions& options) {
  std::error_code ignored;
  if (!options.out.empty() && !options.replaces && fs::exists(options.out, ignored))
    return end_profile(kExitUsage, fmt::format("{} exists; --force replaces it", options.out));
  for (const std::string& named : {options.profile, options.like})
    if (!named.empty())
      if (const auto profile = vgpu::load_profile(named);
          const auto* const problem = std::get_if<std::string>(&profile))
        return end_profile(kExitUsage, *problem);
  note_interruption();
  const Installation installation = this_installation();
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, each] : backend_choices())
    if (name == options.backend) choice = each;
  const auto backend = choose_backend(choice, installation);
  if (!backend) return end_profile(kExitEnvironment, backend.sentence());
  const auto printed = measure(options, installation, *backend);
  if (!printed) return end_profile(is_interrupted() ? kExitInterrupted : kExitEnvironment, printed.sentence());
  const auto measured = vgpu::measured_profile(*printed, options.like);
  if (const auto* const problem = std::get_if<std::string>(&measured)) return end_profile(kExitEnvironment, *problem);
  const auto& profile = std::get<vgpu::MeasuredProfile>(measured);
  const std::string text =
      fmt::format(
          "# Made by `lanewise profile --measure`{}. What has no comment was read from the device;\n"
          "# the others say how they were measured, or of which profile they are.\n",
          backend->is_virtual() ? fmt::format(" on the virtual GPU, profile {}", safe_line(options.profile)) : "") +
      profile.toml;
  if (options.out.empty())
    std::fputs(text.c_str(), stdout);
  else if (const auto failure = write_report(options.out, text))
    return end_profile(kExitEnvironment, failure->sentence);
  compare(profile.numbers);
  if (!options.out.empty()) announce(fmt::format("the profile is {}", options.out));
  return kExitDone;
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ProfileOptions>();
  CLI::App* const command = app.add_subcommand("profile", "List, show and measure profiles of GPUs");
  command->footer(kProfileExamples);
  CLI::Option* const listed = command->add_flag("--list", "List the built-in profiles, as without any option");
  CLI::Option* const shown = command->add_option("--show", options->show, "Print a profile: a name, or a TOML file")
                                 ->type_name("NAME")
                                 ->excludes(listed);
  CLI::Option* const measured =
      command->add_flag("--measure", options->measure, "Measure the GPU of this machine, and print its profile")
          ->excludes(shown)
          ->excludes(listed);
  command->add_option("--out", options->out, "Write the profile to this file")->type_name("FILE")->needs(measured);
  command->add_flag("--force", options->replaces, "Replace the file")->needs(measured);
  command->add_option("--like", options->like, "The profile to compare with, and to take over what is not measured")
      ->type_name("NAME")
      ->needs(measured);
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command->add_option("--backend", options->backend, "What to measure")
      ->check(CLI::IsMember(backends))
      ->capture_default_str()
      ->needs(measured);
  command->add_option("--profile", options->profile, "Of the virtual GPU, if that is measured")
      ->type_name("NAME")
      ->capture_default_str()
      ->needs(measured);
  add_toolchain_option(*command, options->toolchain);
  command->callback([options, &exit_code] {
    exit_code = options->measure         ? measure_and_write(*options)
                : !options->show.empty() ? show_profile(options->show)
                                         : list_profiles();
  });
}

}  // namespace lanewise
