/** A bar of the chart. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The text at the end of the bar, such as `82 µs`. */
  readonly label: string;
  /** The confidence interval of the value. */
  readonly interval?: readonly [low: number, high: number];
  /** True for this project's bars, which have a separate colour. */
  readonly isOwn: boolean;
}

/** A horizontal bar chart. Its bars are in groups with headings. */
export interface BarChart {
  readonly title: string;
  /** The measured quantity, and whether shorter or longer bars are better. */
  readonly about: string;
  readonly groups: readonly { readonly name: string; readonly bars: readonly Bar[] }[];
  /** The machine, the versions and the date of the measurement. */
  readonly source: string;
}

const WIDTH = 860;
const LEFT = 250;
const RIGHT = 110;
const ROW = 22;
const GROUP = 34;
const TOP = 66;
/** Maximum number of characters in a line of the chart's source text. */
const SOURCE_LINE_LENGTH = 130;

/** The chart's style sheet, with colours for pages in light and dark mode. */
const STYLE = `
  svg { --text: #1f2328; --quiet: #59636e; --bar: #afb8c1; --own: #0b6bcb; }
  @media (prefers-color-scheme: dark) {
    svg { --text: #e6edf3; --quiet: #9198a1; --bar: #4d5661; --own: #4493f8; }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--text); }
  .title { font-size: 17px; font-weight: 600; }
  .group { font-weight: 600; }
  .quiet { font-size: 11px; fill: var(--quiet); }
  .bar { fill: var(--bar); }
  .own { fill: var(--own); }
  .interval { stroke: var(--text); stroke-width: 1.5; }
`;

/** Draws a chart as a standalone SVG image for light and dark mode, with a text for screen readers. */
export function drawBarChart({ about, groups, source, title }: BarChart): string {
  const bars = groups.flatMap((group) => group.bars);
  const most = Math.max(...bars.flatMap(({ interval, value }) => [value, interval?.[1] ?? 0]));
  const scale = (WIDTH - LEFT - RIGHT) / (most || 1);
  const parts: string[] = [];
  let y = TOP;
  for (const { bars: own, name } of groups) {
    parts.push(`<text class="group" x="16" y="${y + 12}">${escaped(name)}</text>`);
    y += 20;
    for (const bar of own) {
      parts.push(drawBar(bar, y, scale));
      y += ROW;
    }
    y += GROUP - 20;
  }
  const lines = wrapped(source);
  const height = y + lines.length * 15 + 8;
  const spoken = groups
    .map(
      ({ bars: own, name }) =>
        `${name}: ${own.map((bar) => `${bar.name} ${bar.label}`).join(", ")}.`,
    )
    .join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title about">
<title id="title">${escaped(title)}</title>
<desc id="about">${escaped(`${about} ${spoken}`)}</desc>
<style>${STYLE}</style>
<text class="title" x="16" y="26">${escaped(title)}</text>
<text class="quiet" x="16" y="46">${escaped(about)}</text>
${parts.join("\n")}
${lines.map((line, number) => `<text class="quiet" x="16" y="${y + 8 + number * 15}">${escaped(line)}</text>`).join("\n")}
</svg>
`;
}

function drawBar({ interval, isOwn, label, name, value }: Bar, y: number, scale: number): string {
  const at = (amount: number): number => Math.round((LEFT + amount * scale) * 10) / 10;
  const end = at(value);
  const middle = y + 8;
  const furthest = Math.max(end, at(interval?.[1] ?? 0));
  return [
    `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${isOwn ? "own" : "bar"}" x="${LEFT}" y="${y}" width="${Math.max(1, Math.round((end - LEFT) * 10) / 10)}" height="16" rx="2"/>`,
    ...(interval === undefined
      ? []
      : [
          `<line class="interval" x1="${at(interval[0])}" x2="${at(interval[1])}" y1="${middle}" y2="${middle}"/>`,
        ]),
    `<text x="${furthest + 6}" y="${y + 13}">${escaped(label)}</text>`,
  ].join("");
}

function wrapped(text: string): readonly string[] {
  return text.match(new RegExp(`.{1,${SOURCE_LINE_LENGTH}}(?: |$)`, "g")) ?? [];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
