import { type Html, html, trusted } from "./html.ts";
import { type CallFlow, type Shape, sequence } from "./sequence.ts";

const sent = { reaches: "insurer", answers: true } as const;

/** The ways in which a submission can fail. */
const flows: readonly CallFlow[] = [
  {
    outcome: "not_sent",
    says: "refused before it left",
    reaches: "gateway",
    insurerAnswers: false,
    answers: true,
  },
  { outcome: "rejected", says: "the insurer says no", insurerAnswers: true, ...sent },
  { outcome: "unknown", says: "the answer is lost", insurerAnswers: false, ...sent },
  { outcome: "executed", says: "the answer is unusable", insurerAnswers: true, ...sent },
];

const { shapes, viewBox } = sequence(flows);

/**
 * A picture of the possible outcomes of a submission as message sequences. The table below the picture describes the
 * same outcomes in words.
 */
export const outcomesPicture: Html = html`<figure class="picture"><svg viewBox="${viewBox}" role="img" aria-labelledby="picture-title picture-text">
<title id="picture-title">How a submission can end</title>
<desc id="picture-text">Four requests go from your program to the gateway. The first ends there: not_sent. The other three reach the insurer. One is refused: rejected. One is acted on or not, and its answer is lost: unknown. One is acted on and its answer cannot be used: executed. The gateway tells your program which of the four it was.</desc>
${shapes.map(markupOf)}
</svg>
<figcaption>The gateway stores a submission before it sends it, sends it once, and reports which of the four outcomes it had.</figcaption></figure>`;

function markupOf([tag, attributes, ...content]: Shape): Html {
  const name = trusted(tag);
  const written = Object.entries(attributes).map(
    ([key, value]) => html` ${trusted(key)}="${value}"`,
  );
  const inside = content.map((part) => (typeof part === "string" ? part : markupOf(part)));
  return html`<${name}${written}>${inside}</${name}>`;
}
