"""The CSS of the report, for light and dark screens, wide and narrow windows, and print."""

__all__ = ["STYLE"]

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f5f2; --card: #fff; --ink: #1c1d21; --soft: #6a6c75; --rule: #e3e1db; --good: #12795a; --bad: #b3261e;
  --lane-0: #747987; --lane-1: #6aa5dd; --lane-2: #2f74b5; --lane-3: #0c8474; --lane-4: #c98a1b; --lane-5: #8e6bbf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121317; --card: #1b1d23; --ink: #e9e8e4; --soft: #9a9ca6; --rule: #2e3038; --good: #4cc9a0; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 1080px; padding: 2.5rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.02em; }
h2 { font-size: 1.35rem; margin: 0; letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 1.8rem 0 .5rem; }
p { margin: .3rem 0; max-width: 46rem; }
section {
  background: var(--card); border: 1px solid var(--rule); border-radius: 14px; padding: 1.5rem; margin-top: 1.5rem;
}
.soft, figcaption, .small { color: var(--soft); fill: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); }
.verdict { font-weight: 600; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 1rem; margin: 1.25rem 0; }
dl.facts div { border-left: 3px solid var(--rule); padding-left: .8rem; }
dt { color: var(--soft); font-size: .82rem; }
dd { margin: 0; font-size: 1.15rem; font-weight: 600; overflow-wrap: anywhere; }
figure { margin: 1rem 0 0; }
.pictures { display: grid; }
.pictures img { grid-area: 1 / 1; width: 100%; height: auto; border-radius: 8px; display: block; }
.toggle { display: inline-flex; gap: .5rem; align-items: center; margin-top: 1rem; cursor: pointer; }
.toggle input { accent-color: var(--good); width: 1.1rem; height: 1.1rem; }
figure:has(.toggle input:not(:checked)) .marked { visibility: hidden; }
figcaption { font-size: .9rem; margin-top: .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .7rem; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-size: .82rem; font-weight: 500; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
table.words td { text-align: left; vertical-align: top; white-space: pre-line; overflow-wrap: anywhere; }
table.words th { text-align: left; }
.timeline { display: block; width: 100%; min-width: 640px; height: auto; font-size: 13px; }
.timeline text { fill: var(--ink); } .timeline .small { fill: var(--soft); font-size: 12px; }
.timeline .middle { text-anchor: middle; } .timeline .end { text-anchor: end; }
.timeline .on-bar { fill: #fff; font-size: 12px; pointer-events: none; }
.tick { stroke: var(--rule); }
.lane-0 { fill: var(--lane-0); } .lane-1 { fill: var(--lane-1); } .lane-2 { fill: var(--lane-2); }
.lane-3 { fill: var(--lane-3); } .lane-4 { fill: var(--lane-4); } .lane-5 { fill: var(--lane-5); }
@media (max-width: 600px) {
  body { padding: 1.5rem .75rem 3rem; } section { padding: 1rem; border-radius: 10px; } h1 { font-size: 1.6rem; }
  th, td { padding: .35rem .45rem; } dl.facts { grid-template-columns: 1fr 1fr; }
}
@media print { body { max-width: none; } section { break-inside: avoid; } .toggle { display: none; } }
"""
