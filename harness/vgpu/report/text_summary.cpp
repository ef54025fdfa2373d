#include "harness/vgpu/report/text_summary.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "harness/vgpu/report/remarks.h"
#include "harness/vgpu/report/wording.h"

namespace vgpu::report {
namespace {

constexpr std::size_t kShown = 3;      // remarks without --details
constexpr std::size_t kCalmShown = 2;  // kernels with nothing to be said of, if there are no others

struct Told {
  const KernelReport* kernel;
  const Remark* remark;
};

class Summary {
 public:
  Summary(const Document& document, const SummaryStyle& style)
      : document_(document), style_(style), ranked_(rank(document)) {}

  std::string text() {
    if (document_.kernels.empty()) {
      copies_alone();
      return style_.utf8 ? text_ : ascii(text_);
    }
    heading();
    modelled();
    const std::vector<Told> all = worst_first();
    has_remarks_ = !all.empty();
    const std::size_t shown = style_.details ? all.size() : std::min(kShown, all.size());
    for (std::size_t i = 0; i < shown; ++i) tell(all[i], style_.details || i == 0);
    if (shown < all.size())
      paragraph(2, "and " + counted(all.size() - shown, "more line or kernel", "more lines or kernels") +
                       " that could be better: --details lists all, --html FILE shows them");
    calm();
    return style_.utf8 ? text_ : ascii(text_);
  }

 private:
  std::vector<Told> worst_first() const {
    std::vector<Told> all;
    for (const RankedKernel& ranked : ranked_)
      for (const Remark& remark : ranked.judgement.remarks) all.push_back({&document_.kernels[ranked.kernel], &remark});
    std::stable_sort(all.begin(), all.end(),
                     [](const Told& a, const Told& b) { return comes_before(*a.remark, *b.remark); });
    if (style_.details) return all;
    // Of the instances of a template, the one that suffers most.
    std::set<std::tuple<std::string, std::uint32_t, RemarkKind>> told;
    const auto is_again = [&](const Told& t) {
      return t.remark->line != 0 && !told.emplace(t.remark->file, t.remark->line, t.remark->kind).second;
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_again), all.end());
    return all;
  }

  void heading() {
    std::uint64_t launches = 0;
    for (const KernelReport& kernel : document_.kernels) launches += kernel.launches;
    const KernelReport& first = document_.kernels.front();
    std::string line = "what costs most in ";
    if (document_.kernels.size() == 1)
      line += short_kernel_name(first.name) + ", " + counted(launches, "launch", "launches") + " of " +
              extent_text(first.grid) + (first.grid.count() == 1 ? " block of " : " blocks of ") +
              extent_text(first.block) + " threads";
    else
      line += with_commas(document_.kernels.size()) + " kernels, " + counted(launches, "launch", "launches");
    text_ += "\n";
    for (const std::string& part : wrapped("lanewise: " + printable(line), style_.width)) text_ += part + "\n";
  }

  /// Such as a program that measures transfers.
  void copies_alone() {
    if (!document_.nanoseconds || !document_.shares || document_.shares->copies.busy == 0) return;
    const bool libraries_ran = document_.shares->kernels.busy != 0;  // on the host, in the place of kernels
    text_ += libraries_ran ? "\nlanewise: none of the program's own kernels ran\n" : "\nlanewise: no kernel ran\n";
    paragraph(2, printable("modelled on " + document_.device.name + ": " + time_text(*document_.nanoseconds)));
    where_the_time_went();
  }

  /// Of several kernels, the one that takes longest is named.
  void modelled() {
    if (!document_.nanoseconds) return;
    const auto nanoseconds = [](const KernelReport& kernel) {
      return kernel.modelled ? kernel.modelled->nanoseconds : 0;
    };
    const auto longest =
        std::max_element(document_.kernels.begin(), document_.kernels.end(),
                         [&](const KernelReport& a, const KernelReport& b) { return nanoseconds(a) < nanoseconds(b); });
    if (!longest->modelled) return;
    std::string line = "modelled on " + document_.device.name + ": " + time_text(*document_.nanoseconds);
    if (longest->modelled->nanoseconds < *document_.nanoseconds)
      line += ", " + time_text(longest->modelled->nanoseconds) + " of it in " + short_kernel_name(longest->name);
    paragraph(2, printable(line + ", bound by " + longest->modelled->bound_by));
    where_the_time_went();
  }

  /// Adds up to the whole, so that nobody takes the kernels for all of it.
  void where_the_time_went() {
    if (!document_.shares) return;
    const TimeShares& shares = *document_.shares;
    const std::tuple<std::string, std::string, TimeShare> parts[] = {
        {"in ", "kernels", shares.kernels},
        {"in ", "copies", shares.copies},
        {"in ", "memsets", shares.fills},
        {"", "allocating and freeing memory", shares.allocating},
        {"in ", "requests by the host", shares.requesting},
        {"", "idle", {shares.idle, shares.idle}}};
    constexpr std::uint64_t kRounding = 2;  // ns: busy is a sum of up to three rounded times, alone a difference of two
    std::string line, hidden;
    for (const auto& [in, name, share] : parts) {
      if (share.alone != 0)
        line.append(line.empty() ? "" : " + ").append(time_text(share.alone)).append(" ").append(in).append(name);
      if (share.busy > share.alone + kRounding)
        hidden.append(hidden.empty() ? "" : ", ")
            .append(time_text(share.busy - share.alone))
            .append(" of ")
            .append(name);
    }
    paragraph(2, "where it went: " + line);
    if (!hidden.empty()) paragraph(2, "hidden behind these: " + hidden);
  }

  void tell(const Told& told, bool in_full) {
    const Remark& remark = *told.remark;
    std::string place;
    if (remark.line != 0) place = file_name(remark.file) + ":" + std::to_string(remark.line);
    if (remark.line == 0 || document_.kernels.size() > 1)
      place += (place.empty() ? "" : " in ") + short_kernel_name(told.kernel->name);
    place = printable(place);
    std::vector<std::string> lines = wrapped(place + "  " + printable(remark.sentence), style_.width - 4);
    if (lines[0].compare(0, place.size(), place) == 0) lines[0] = emphasised(place) + lines[0].substr(place.size());
    text_ += "  " + warned("▲") + " " + lines[0] + "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) text_ += "    " + lines[i] + "\n";
    if (style_.details) {
      paragraph(6, printable(remark.why));
      paragraph(6, printable(remark.scale));
    }
    if (in_full) paragraph(6, printable(remark.advice));
  }

  /// No praise where something is wrong.
  void calm() {
    if (!document_.findings.empty()) return;
    std::vector<const RankedKernel*> calm;
    for (const RankedKernel& ranked : ranked_)
      if (ranked.judgement.remarks.empty()) calm.push_back(&ranked);
    const std::size_t shown = style_.details ? calm.size() : has_remarks_ ? 0 : std::min(kCalmShown, calm.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string name = document_.kernels.size() > 1
                                   ? printable(short_kernel_name(document_.kernels[calm[i]->kernel].name)) + ": "
                                   : std::string();
      paragraph(2, "✓ " + name + calm[i]->judgement.calm);
    }
    if (shown < calm.size())
      paragraph(2, "✓ nothing stands out in " + counted(calm.size() - shown, "other kernel", "other kernels"));
  }

  void paragraph(std::size_t indent, const std::string& text) {
    for (const std::string& line : wrapped(text, style_.width - indent))
      text_ += std::string(indent, ' ') + line + "\n";
  }

  std::string warned(const std::string& text) const { return style_.colour ? "\x1b[33m" + text + "\x1b[0m" : text; }
  std::string emphasised(const std::string& text) const { return style_.colour ? "\x1b[1m" + text + "\x1b[0m" : text; }

  const Document& document_;
  const SummaryStyle& style_;
  std::vector<RankedKernel> ranked_;
  std::string text_;
  bool has_remarks_ = false;
};

}  // namespace

std::string text_summary(const Document& document, const SummaryStyle& style) {
  return Summary(document, style).text();
}

}  // namespace vgpu::report
