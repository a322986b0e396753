import { type Drawn, make } from "../drawn.ts";
import { drawContent } from "./content.ts";
import type { Exchange, NextSteps } from "./exchange.ts";
import { drawNextSteps } from "./next-steps.ts";
import { drawWay } from "./picture.ts";
import { fieldOf, type ReadAnswer, readAnswer, textIn } from "./read-answer.ts";

/**
 * Draws an answer as an outcome, with its next steps as buttons; the answer to such a step is drawn in the same place.
 * @param steps - null where nothing can be done with the answer: it has no buttons then, and nothing announces it
 */
export function showAnswer(place: Element, exchange: Exchange, steps: NextSteps | null): void {
  void draw(place, exchange, steps);
}

async function draw(place: Element, exchange: Exchange, steps: NextSteps | null): Promise<void> {
  const text = await exchange.body.text();
  const read = readAnswer(exchange, text);
  const { outcome, title, way } = read;
  const status = exchange.status === null ? "–" : String(exchange.status);
  const heading = make([
    "h3",
    { tabindex: -1 },
    ["span", { class: "status" }, status],
    ` ${title} `,
    ["span", { class: "note" }, `${Math.round(exchange.millis).toLocaleString("en")} ms`],
  ]);
  const answer = make([
    "div",
    { class: "drawn-answer" },
    heading,
    outcome && [
      "p",
      {},
      ["code", { class: `outcome ${outcome.colour}` }, outcome.word],
      ` ${outcome.says}`,
    ],
    way && drawWay(way),
    drawFacts(exchange, read),
    steps && drawNextSteps(exchange, read, steps, (next) => showAnswer(place, next, steps)),
    drawContent(exchange, read, text, steps),
    drawHeaders(exchange.headers),
  ]);
  const hadFocus = place.contains(document.activeElement);
  // An element that announces its content has to be there before the content is.
  const [heard = make(["p", { class: "only-heard" }])] =
    place.querySelectorAll<HTMLElement>(":scope > .only-heard");
  place.replaceChildren(heard, answer);
  if (steps === null) return;
  heard.setAttribute("role", read.isProblem ? "alert" : "status");
  requestAnimationFrame(() => {
    heard.textContent = `${status} ${title}. ${outcome?.says ?? ""}`;
  });
  // The button that was pressed is gone.
  if (hadFocus) heading.focus();
  heading.scrollIntoView({ block: "nearest" });
}

/** The facts of an answer that readers look for; the rest is in its body. */
function drawFacts({ headers, key }: Exchange, { json, isProblem }: ReadAnswer): Drawn {
  const type = isProblem ? new URL(textIn(json, "type"), location.href).pathname : "";
  const faults = fieldOf(json, "errors");
  const facts: readonly (readonly [string, Drawn | string | null])[] = [
    [
      "Code",
      isProblem
        ? ["a", { href: location.origin + type }, ["code", {}, textIn(json, "code")]]
        : null,
    ],
    ["Detail", isProblem ? prose(textIn(json, "detail")) : null],
    ["Faults", isProblem && Array.isArray(faults) ? ["ul", {}, ...faults.map(drawFault)] : null],
    ["Insurer's identifier", textIn(json, "insurerId")],
    ["Key", key],
    ["Request", headers.get("x-request-id")],
  ];
  const drawn = facts
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]): Drawn => ["div", {}, ["dt", {}, name], ["dd", {}, value]]);
  return ["dl", {}, ...drawn];
}

/** A text with its names between backticks as code. */
function prose(text: string): Drawn {
  const parts = text.split("`");
  return [
    "span",
    {},
    ...parts.map((part, index) => (index % 2 === 1 ? (["code", {}, part] as const) : part)),
  ];
}

function drawFault(fault: unknown): Drawn {
  return ["li", {}, ["code", {}, textIn(fault, "pointer") || "/"], ` ${textIn(fault, "message")}`];
}

function drawHeaders(headers: Headers): Drawn {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return ["details", {}, ["summary", {}, `${lines.length} headers`], ["pre", {}, lines.join("\n")]];
}
