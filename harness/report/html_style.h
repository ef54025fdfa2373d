// The style of the HTML report. Colours follow the reader's light or dark preference; print is black and white.
#pragma once

namespace lanewise {

inline constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2430; --dim: #667085; --paper: #fff; --panel: #f6f7f9; --line: #e2e5ea;
  --good: #17803d; --bad: #c0322b; --accent: #2f5fd0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --dim: #98a2b3; --paper: #14181f; --panel: #1c222c;
  --line: #313a48; --good: #4cc27a; --bad: #ff7b72; --accent: #84a9ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 3rem 0 .6rem; padding-top: 1rem; border-top: 1px solid var(--line); display: flex;
  justify-content: space-between; gap: 1rem; align-items: baseline; }
h3 { font-size: .85rem; margin: 1.8rem 0 .5rem; color: var(--dim); text-transform: uppercase; letter-spacing: .06em; }
.dim, .meta { color: var(--dim); }
.meta { margin: 0; font-size: .9rem; }
.score { font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto;
  margin: .6rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre mark { background: none; color: var(--bad); font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem .45rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; font-size: .85rem; }
td.points { white-space: nowrap; font-variant-numeric: tabular-nums; }
meter { width: 7rem; height: .7rem; vertical-align: middle; }
.finding, .failure { border-left: 3px solid var(--bad); background: var(--panel); border-radius: 0 6px 6px 0;
  padding: .7rem 1rem; margin: .7rem 0; }
.next { border: 1px solid var(--line); border-radius: 6px; padding: .2rem 1rem .7rem; margin: 1rem 0; }
.next h3 { margin: .7rem 0 .3rem; color: var(--accent); } .next p { margin: .3rem 0; overflow-wrap: anywhere; }
.finding p, .failure p { margin: .3rem 0; overflow-wrap: anywhere; }
.hint { font-weight: 600; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; margin: .8rem 0 0; }
figure { margin: 0; } figcaption { font-size: .85rem; color: var(--dim); margin-top: .3rem; }
figure img { width: 100%; max-height: 15rem; object-fit: contain; image-rendering: pixelated; border: 1px solid var(--line); border-radius: 4px; background: var(--paper); }
.speed svg { width: 100%; max-width: 46rem; height: auto; display: block; font: 13px system-ui, sans-serif; }
.speed text { fill: var(--ink); stroke: var(--paper); stroke-width: 4px; paint-order: stroke; } .speed .dim { fill: var(--dim); font-size: 11.5px; }
.speed .bar { fill: var(--line); } .speed .own { fill: var(--accent); } .speed .whisker { stroke: var(--ink); stroke-width: 2; }
.speed .tick { stroke: var(--line); } .speed .roof { stroke: var(--bad); } .speed .next { stroke: var(--good); stroke-dasharray: 4 3; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media print { :root { --ink: #000; --dim: #444; --paper: #fff; --panel: #fff; --good: #000; --bad: #000; }
  body { padding: 0; max-width: none; font-size: 10.5pt; } .finding, .failure, figure, tr { break-inside: avoid; } }
)css";

}  // namespace lanewise
