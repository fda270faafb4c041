// The style of pages: colours of Okabe and Ito, which the colour-blind tell apart, darker or
// lighter until their contrast is 4.5 and more.
#pragma once

namespace calib::html {

inline constexpr char style[] = R"(
:root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --faint: #595959; --line: #d4d4d4;
  --s0: #005b96; --s1: #b34700; --s2: #00694d; --s3: #8f3f71; --s4: #7a5c00; --s5: #333; }
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --page: #16181b; --faint: #a6a6a6; --line: #44484d;
    --s0: #56b4e9; --s1: #ff9b52; --s2: #3ed3a5; --s3: #e39cc6; --s4: #f0e442; --s5: #ddd; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; } h2 { margin-top: 2.5rem; }
h3 { margin-top: 2rem; } ul { padding-left: 1.25rem; }
a { color: var(--s0); } .warning { border-left: 4px solid var(--s1); padding-left: .75rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.caption { color: var(--faint); margin: 1.5rem 0 .25rem; }
th { text-align: left; font-weight: 600; white-space: nowrap; } td { text-align: right; }
th, td { padding: .15rem .75rem .15rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
td small { color: var(--faint); } td.words { text-align: left; white-space: normal; }
figure { margin: 1.5rem 0; } figcaption { color: var(--faint); margin-top: .5rem;
  white-space: pre-line; }
.key span { white-space: nowrap; margin-right: 1rem; }
.key svg { width: 16px; height: 16px; vertical-align: -3px; margin-right: 4px; }
.dots { display: grid; grid-template-columns: max-content 1fr; column-gap: 1rem;
  align-items: center; }
.dots > span { white-space: nowrap; } .unit { color: var(--faint); font-size: .8em; }
.track { width: 100%; height: 1.5em; overflow: visible; } .track svg { overflow: visible; }
.track text { fill: var(--faint); font-size: .8em; text-anchor: middle; }
details { margin-top: .25rem; } summary { cursor: pointer; color: var(--faint); }
.curves { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr));
  gap: 1.25rem 1rem; }
.broad { grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.curves span, .curves small { display: block; margin-left: 2.5rem; }
.curves small { color: var(--faint); font-size: .75em; }
.curves > div > svg { display: block; width: calc(100% - 3.5rem); height: 9rem;
  margin: .5rem 1rem 1.5rem 2.5rem; overflow: visible; }
.curves > div > svg.labelled { width: calc(100% - 9.5rem); margin-right: 7rem; }
.curves text { fill: var(--faint); font-size: .75em; } .mark { overflow: visible; }
.end { transform: translateX(.75em); dominant-baseline: middle; }
.below { text-anchor: middle; transform: translateY(1.1em); }
.beside { text-anchor: end; dominant-baseline: middle; transform: translateX(-.5em); }
.tick { stroke: var(--line); } .reference { stroke: var(--text); stroke-dasharray: 3 2; }
line { stroke-width: 1.5; }
.s0 { --ink: var(--s0); } .s1 { --ink: var(--s1); }
.s2 { --ink: var(--s2); } .s3 { --ink: var(--s3); }
.s4 { --ink: var(--s4); } .s5 { --ink: var(--s5); }
.s0, .s1, .s2, .s3, .s4, .s5 { fill: var(--ink); stroke: var(--ink); }
text.end { stroke: none; fill: var(--ink); }
.model { stroke-dasharray: 4 3; }
@media (max-width: 40rem) { .dots { grid-template-columns: minmax(0, 1fr); }
  .dots > span, .key span { white-space: normal; overflow-wrap: anywhere; } }
@page { size: A4; margin: 15mm; }
@media print {
  details::details-content { content-visibility: visible; display: block; }
  .dots, table, .curves div { break-inside: avoid; } h2, h3, .caption { break-after: avoid; }
  .wide { overflow: visible; } table { font-size: .8em; } th, td { white-space: normal; } }
)";

}  // namespace calib::html
