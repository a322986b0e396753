import { type Drawn, make, prose } from "../drawn.ts";
import { drawContent, releaseFiles } from "./content.ts";
import { type Exchange, isProblem, jsonOf, type NextSteps } from "./exchange.ts";
import { drawNextSteps } from "./next-steps.ts";
import { drawFlow } from "./picture.ts";
import { fieldOf, type ReadAnswer, readAnswer, textIn } from "./read-answer.ts";

/**
 * Draws an answer as an outcome with buttons for the next steps. The answer to a step replaces the drawn answer.
 * @param steps - the next steps; null to draw no buttons and to announce nothing to screen readers
 */
export function showAnswer(place: Element, exchange: Exchange, steps: NextSteps | null): void {
  void draw(place, exchange, steps);
}

async function draw(place: Element, exchange: Exchange, steps: NextSteps | null): Promise<void> {
  const json = await jsonOf(exchange);
  const read = readAnswer(exchange, json);
  const { outcome, title, flow } = read;
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
    flow && drawFlow(flow),
    drawFacts(exchange, read),
    steps && drawNextSteps(exchange, read, steps, (next) => showAnswer(place, next, steps)),
    drawContent(exchange, await exchange.body.text(), json),
    drawHeaders(exchange.headers),
  ]);
  const hadFocus = place.contains(document.activeElement);
  // Screen readers announce new content only in a live region that already exists.
  const [heard = make(["p", { class: "only-heard" }])] =
    place.querySelectorAll<HTMLElement>(":scope > .only-heard");
  releaseFiles(place);
  place.replaceChildren(heard, answer);
  if (steps === null) return;
  heard.setAttribute("role", isProblem(exchange) ? "alert" : "status");
  requestAnimationFrame(() => {
    heard.textContent = `${status} ${title}. ${outcome?.says ?? ""}`;
  });
  // The page has removed the pressed button, which had the focus.
  if (hadFocus) heading.focus();
  heading.scrollIntoView({ block: "nearest" });
}

/** Draws the headers and fields of an answer that readers look for first. */
function drawFacts({ headers, key }: Exchange, { own }: ReadAnswer): Drawn {
  const faults = fieldOf(own, "errors");
  const facts: readonly (readonly [string, Drawn | string | null])[] = [
    ["Code", drawCode(textIn(own, "code"), textIn(own, "type"))],
    ["Detail", textIn(own, "detail") && prose(textIn(own, "detail"))],
    ["Faults", Array.isArray(faults) ? ["ul", {}, ...faults.map(drawFault)] : null],
    ["Insurer's identifier", textIn(own, "insurerId")],
    ["Key", key],
    ["Request", headers.get("x-request-id")],
  ];
  const drawn = facts
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]): Drawn => ["div", {}, ["dt", {}, name], ["dd", {}, value]]);
  return ["dl", {}, ...drawn];
}

/** Draws a code as a link to its page on this host. */
function drawCode(code: string, type: string): Drawn | null {
  if (code === "") return null;
  const [, path] = /^(?:https?:\/\/[^/]+)?(\/.*)$/.exec(type) ?? [];
  const drawn: Drawn = ["code", {}, code];
  return path === undefined ? drawn : ["a", { href: location.origin + path }, drawn];
}

function drawFault(fault: unknown): Drawn {
  return ["li", {}, ["code", {}, textIn(fault, "pointer") || "/"], ` ${textIn(fault, "message")}`];
}

function drawHeaders(headers: Headers): Drawn {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return ["details", {}, ["summary", {}, `${lines.length} headers`], ["pre", {}, lines.join("\n")]];
}
