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

const GATEWAY_X = 300;
const INSURER_X = 590;

function drawn({ answered, outcome, reaches, says, y }: Way): string {
  const toInsurer =
    reaches === "gateway"
      ? `<path class="stop" d="M${GATEWAY_X + 60} ${y - 8} l16 16 m0 -16 l-16 16"/>`
      : `<path class="there" d="M${GATEWAY_X} ${y} H${INSURER_X - 8}" marker-end="url(#head)"/>`;
  const back =
    reaches === "gateway"
      ? ""
      : answered
        ? `<path class="back" d="M${INSURER_X} ${y + 18} H${GATEWAY_X + 8}" marker-end="url(#head)"/>`
        : `<path class="back" d="M${INSURER_X} ${y + 18} H${INSURER_X - 90}"/><path class="stop" d="M${INSURER_X - 110} ${y + 10} l16 16 m0 -16 l-16 16"/>`;
  return `<g class="${outcome}"><path class="there" d="M60 ${y} H${GATEWAY_X - 8}" marker-end="url(#head)"/>${toInsurer}${back}
<path class="back" d="M${GATEWAY_X} ${y + 18} H68" marker-end="url(#head)"/>
<text x="76" y="${y - 8}" class="name">${outcome}</text><text x="${GATEWAY_X + 14}" y="${y - 8}">${says}</text></g>`;
}

const column = (x: number, name: string): string =>
  `<text x="${x}" y="34" class="column">${name}</text><path class="life" d="M${x} 48 V330"/>`;

/** How a submission can end, as a sequence of messages; the table under it says the same in words. */
export const outcomesPicture: Html = html`<figure class="picture">${trusted(`<svg viewBox="0 0 660 345" role="img" aria-labelledby="picture-title picture-text">
<title id="picture-title">How a submission can end</title>
<desc id="picture-text">Four requests go from your program to the gateway. The first ends there: not_sent. The other three reach the insurer. One is refused: rejected. One is acted on or not, and its answer is lost: unknown. One is acted on and its answer cannot be used: executed. The gateway tells your program which of the four it was.</desc>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 L8 4 L0 8 z" class="head"/></marker></defs>
${column(60, "Your program")}${column(GATEWAY_X, "Gateway")}${column(INSURER_X, "Insurer")}
${ways.map(drawn).join("\n")}
</svg>`)}
<figcaption>The gateway writes a submission down before it sends it, sends it once, and tells you which of the four it was.</figcaption></figure>`;
