import { type Html, html, trusted } from "./html.ts";

/** One way a submission can go: the lines of three arrows from left to right and back. */
interface Way {
  readonly y: number;
  readonly outcome: string;
  readonly says: string;
  /** How far the request came: to the gateway, or to the insurer. */
  readonly reaches: "gateway" | "insurer";
  /** How far the answer came back. */
  readonly answered: boolean;
}

const ways: readonly Way[] = [
  {
    y: 100,
    outcome: "not_sent",
    says: "refused before it left",
    reaches: "gateway",
    answered: false,
  },
  { y: 160, outcome: "rejected", says: "the insurer says no", reaches: "insurer", answered: true },
  { y: 220, outcome: "unknown", says: "the answer is lost", reaches: "insurer", answered: false },
  {
    y: 280,
    outcome: "executed",
    says: "the answer is unusable",
    reaches: "insurer",
    answered: true,
  },
];

const PROGRAM_X = 60;
const GATEWAY_X = 300;
const INSURER_X = 590;

function drawn({ answered, outcome, reaches, says, y }: Way): string {
  const toInsurer =
    reaches === "gateway" ? cross(GATEWAY_X + 30, y) : arrow("there", GATEWAY_X, INSURER_X, y);
  const back = answered
    ? arrow("back", INSURER_X, GATEWAY_X, y + 18)
    : `<path class="back" d="M${INSURER_X} ${y + 18} H${INSURER_X - 90}"/>${cross(INSURER_X - 102, y + 18)}`;
  return `<g class="${outcome}">${arrow("there", PROGRAM_X, GATEWAY_X, y)}${toInsurer}${reaches === "gateway" ? "" : back}
${arrow("back", GATEWAY_X, PROGRAM_X, y + 18)}
<text x="${PROGRAM_X + 16}" y="${y - 8}" class="name">${outcome}</text><text x="${GATEWAY_X + (reaches === "gateway" ? 52 : 14)}" y="${reaches === "gateway" ? y + 5 : y - 8}">${says}</text></g>`;
}

function arrow(way: "there" | "back", from: number, to: number, y: number): string {
  const point = to > from ? -1 : 1;
  return `<path class="${way}" d="M${from} ${y} H${to + point * 8}"/><path class="head" d="M${to + point} ${y} l${point * 10} -5 v10 z"/>`;
}

function cross(x: number, y: number): string {
  return `<path class="stop" d="M${x - 8} ${y - 8} l16 16 m0 -16 l-16 16"/>`;
}

const column = (x: number, name: string): string =>
  `<text x="${x}" y="34" class="column">${name}</text><path class="life" d="M${x} 48 V330"/>`;

/** How a submission can end, as a sequence of messages; the table under it says the same in words. */
export const outcomesPicture: Html = html`<figure class="picture">${trusted(`<svg viewBox="0 0 660 345" role="img" aria-labelledby="picture-title picture-text">
<title id="picture-title">How a submission can end</title>
<desc id="picture-text">Four requests go from your program to the gateway. The first ends there: not_sent. The other three reach the insurer. One is refused: rejected. One is acted on or not, and its answer is lost: unknown. One is acted on and its answer cannot be used: executed. The gateway tells your program which of the four it was.</desc>
${column(PROGRAM_X, "Your program")}${column(GATEWAY_X, "Gateway")}${column(INSURER_X, "Insurer")}
${ways.map(drawn).join("\n")}
</svg>`)}
<figcaption>The gateway stores a submission before it sends it, sends it once, and reports which of the four outcomes it had.</figcaption></figure>`;
