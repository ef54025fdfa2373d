// What the overview's pages add to the style of the HTML report.
#pragma once

namespace lanewise {

inline constexpr const char* kOverviewStyle = R"css(
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
nav { margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; font-size: .93rem; }
.wide { overflow-x: auto; }
.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.number, th.number { padding-right: 1rem; }
.mark { font-size: .8rem; color: var(--bad); margin-left: .35rem; }
.who { font-size: .9rem; overflow-wrap: anywhere; }
.misconception, .group { border-left: 3px solid var(--accent); background: var(--panel); border-radius: 0 6px 6px 0;
  padding: .7rem 1rem; margin: .7rem 0; }
.misconception p, .group p { margin: .3rem 0; }
summary { cursor: pointer; width: fit-content; } details > summary { margin: .6rem 0 .3rem; }
:target { scroll-margin-top: 1rem; } .misconception:target { border-left-color: var(--bad); }
th button { all: unset; cursor: pointer; color: inherit; } th button:hover { color: var(--accent); }
th[aria-sort] button { color: var(--ink); }
th button::after { content: " ↕"; opacity: .5; } th[aria-sort] button::after { opacity: 1; }
th[aria-sort="ascending"] button::after { content: " ↑"; } th[aria-sort="descending"] button::after { content: " ↓"; }
@media (min-width: 40rem) { .people td:nth-child(-n+2) { white-space: nowrap; } }
@media (max-width: 40rem) { .people tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .people td, .people th { display: inline-block; border: 0; padding: 0 .9rem 0 0; } }
input[type="search"] { font: inherit; padding: .3rem .6rem; width: 16rem; max-width: 100%; margin: .4rem 0; color: var(--ink);
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
.histogram svg { width: 100%; max-width: 46rem; height: auto; display: block; font: 13px system-ui, sans-serif; }
.histogram text { fill: var(--ink); stroke: var(--paper); stroke-width: 4px; paint-order: stroke; }
.histogram .dim { fill: var(--dim); font-size: 11.5px; } .histogram .column { fill: var(--accent); opacity: .8; }
.histogram .axis { stroke: var(--dim); } .histogram .mean { stroke: var(--bad); }
.histogram .median { stroke: var(--good); stroke-dasharray: 4 3; }
@media print { nav, input[type="search"] { display: none; } a { color: inherit; text-decoration: none; }
  .histogram .column { fill: #999; opacity: 1; } thead { display: table-header-group; } .wide { overflow: visible; }
  details::details-content { content-visibility: visible; } }
)css";

}  // namespace lanewise
