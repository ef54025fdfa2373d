// Reads and writes roofs.toml.
#include "harness/lab/roofs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/toml_list.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRoofsHead =
    "# Made by `lanewise bench --backend gpu`: rates of kernels that only read, copy, run the triad or run fused\n"
    "# multiply-adds (harness/measure/roofs.cu). GB/s and TFLOP/s.\n";

MeasuredRoofs read_one(const TomlTable& table) {
  table.allow_only({"gpu", "driver", "cuda", "date", "read", "copy", "triad", "ffma"});
  MeasuredRoofs roofs;
  roofs.gpu = table.text("gpu");
  roofs.driver = table.text("driver");
  roofs.cuda = table.text("cuda");
  roofs.date = table.text("date");
  roofs.read = table.number("read") * 1e9;
  roofs.copy = table.number("copy") * 1e9;
  roofs.triad = table.number("triad") * 1e9;
  roofs.ffma = table.number("ffma") * 1e12;
  return roofs;
}

}  // namespace

Expected<std::vector<MeasuredRoofs>> read_roofs(const fs::path& file) {
  return read_toml_list(file, "roofs", read_one);
}

std::string roofs_text(const std::vector<MeasuredRoofs>& roofs) {
  std::string text = kRoofsHead;
  for (const MeasuredRoofs& each : roofs)
    text += fmt::format(
        "\n[[roofs]]\ngpu = {}\ndriver = {}\ncuda = {}\ndate = {}\nread = {:.1f}\ncopy = {:.1f}\ntriad = {:.1f}\n"
        "ffma = {:.2f}\n",
        toml_quoted(each.gpu), toml_quoted(each.driver), toml_quoted(each.cuda), toml_quoted(each.date),
        each.read / 1e9, each.copy / 1e9, each.triad / 1e9, each.ffma / 1e12);
  return text;
}

double bandwidth(const MeasuredRoofs& roofs, double written_share) {
  constexpr double kTriad = 1.0 / 3, kCopy = 1.0 / 2;
  if (!(roofs.read > 0 && roofs.triad > 0 && roofs.copy > 0)) return 0;
  const auto between = [](double from, double to, double way) { return 1 / ((1 - way) / from + way / to); };
  if (written_share <= kTriad) return between(roofs.read, roofs.triad, std::max(0.0, written_share) / kTriad);
  return between(roofs.triad, roofs.copy, (std::min(written_share, kCopy) - kTriad) / (kCopy - kTriad));
}

const MeasuredRoofs* find_roofs(const std::vector<MeasuredRoofs>& roofs, const std::string& gpu) {
  for (const MeasuredRoofs& each : roofs)
    if (each.gpu == gpu) return &each;
  return nullptr;
}

std::vector<MeasuredRoofs> with_roofs(std::vector<MeasuredRoofs> roofs, const MeasuredRoofs& one) {
  const auto is_same = [&one](const MeasuredRoofs& each) { return each.gpu == one.gpu; };
  return with_entry(std::move(roofs), one, is_same);
}

}  // namespace lanewise
