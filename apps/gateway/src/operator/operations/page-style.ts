/** How the page looks: light or dark as the reader's system is; at phone width each row of the table is a card. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --sheet: #ffffff; --line: #dde1e7; --text: #1a1f27; --quiet: #566070;
  --up: #14532d; --up-back: #dff3e6;
  --degraded: #6b4200; --degraded-back: #ffedc2;
  --down: #8f1414; --down-back: #fbdcdc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151a; --sheet: #1a1e25; --line: #2e3540; --text: #e7eaef; --quiet: #a3adbb;
    --up: #a9e5be; --up-back: #163a25;
    --degraded: #ffd98a; --degraded-back: #46350c;
    --down: #ffb9b9; --down-back: #541c1f;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 1rem 1.25rem; max-width: 80rem;
  background: var(--page); color: var(--text);
  font: 0.875rem/1.35 system-ui, sans-serif; font-variant-numeric: tabular-nums;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1.25rem; margin-bottom: 0.75rem; }
h1 { font-size: 1.25rem; margin: 0; }
header p { margin: 0; }
#summary { display: flex; flex-wrap: wrap; gap: 0.375rem; }
#age { color: var(--quiet); margin-left: auto; }
.badge {
  display: inline-block; padding: 0.0625rem 0.5rem; border-radius: 0.25rem;
  font-weight: 600; white-space: nowrap;
}
.badge::before { margin-right: 0.375rem; font-size: 0.75em; }
.up { color: var(--up); background: var(--up-back); }
.up::before { content: "\\25CF" / ""; }
.degraded { color: var(--degraded); background: var(--degraded-back); }
.degraded::before { content: "\\25B2" / ""; }
.down { color: var(--down); background: var(--down-back); }
.down::before { content: "\\25A0" / ""; }
.warning { color: var(--down); background: var(--down-back); }
.warning::before { content: "!" / ""; font-size: 1em; }
#silence {
  margin: 0 0 0.75rem; padding: 0.625rem 0.875rem; border-left: 0.375rem solid currentColor;
  color: var(--down); background: var(--down-back); font-weight: 600;
}
#summary .badge { white-space: normal; }
.outdated table, .outdated #summary { filter: grayscale(1); }
.frame { overflow-x: auto; background: var(--sheet); border: 1px solid var(--line); border-radius: 0.5rem; }
.frame:focus-visible, a:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; }
caption, .only-heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: 0.1875rem 0.625rem; text-align: right; white-space: nowrap; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
thead th { color: var(--quiet); font-size: 0.8125rem; font-weight: 600; padding-block: 0.375rem; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; }
.quiet { color: var(--quiet); font-weight: 400; font-size: 0.8125rem; margin-left: 0.5rem; }
.quiet:empty { display: none; }
footer { margin-top: 0.75rem; color: var(--quiet); font-size: 0.8125rem; }
footer a { color: inherit; }
@media (max-width: 74rem) {
  body { padding: 0.75rem; }
  #age { margin-left: 0; width: 100%; }
  .frame { background: none; border: 0; overflow: visible; }
  table { display: block; }
  tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 0.5rem; }
  thead { display: none; }
  tbody tr {
    display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); align-content: start; gap: 0.125rem 1.25rem; padding: 0.5rem 0.75rem;
    background: var(--sheet); border: 1px solid var(--line); border-radius: 0.5rem;
  }
  tbody th, tbody td { display: flex; flex-wrap: wrap; justify-content: space-between; align-content: start; padding: 0; }
  tbody th { justify-content: flex-start; white-space: normal; }
  tbody td:nth-child(2) { justify-content: flex-end; }
  tbody td:nth-child(n+3)::before { content: attr(data-name) / ""; color: var(--quiet); }
}
@media (max-width: 22rem) { tbody tr { grid-template-columns: 1fr; } tbody td:nth-child(2) { justify-content: flex-start; } }
@media (forced-colors: active) { .badge { border: 1px solid; } }
`;
