import { type Drawn, make } from "../drawn.ts";
import { type Exchange, isProblem, type NextSteps } from "./exchange.ts";

/** A longer text would slow the page down. */
const SHOWN_CHARACTERS = 200_000;

/** Draws the body of an answer with its lines wrapped, or a file to open and to save. A problem, whose parts are drawn already, is folded. */
export function drawContent(
  exchange: Exchange,
  text: string,
  json: unknown,
  steps: NextSteps | null,
): Drawn | null {
  const { body } = exchange;
  if (body.size === 0) return null;
  if (!/json|xml|^text\//.test(body.type)) return drawFile(exchange, steps);
  const whole = json === undefined || hasLongNumber(text) ? text : JSON.stringify(json, null, 2);
  const rest = whole.length - SHOWN_CHARACTERS;
  const more = rest > 0 ? `\n… and ${rest.toLocaleString("en")} more characters` : "";
  return [
    "details",
    isProblem(exchange) ? {} : { open: "" },
    ["summary", {}, `Body, ${body.size.toLocaleString("en")} bytes`],
    [
      "pre",
      { tabindex: 0, role: "group", "aria-label": "Body" },
      whole.slice(0, SHOWN_CHARACTERS) + more,
    ],
  ];
}

/** A parsed number keeps about 15 digits. */
function hasLongNumber(json: string): boolean {
  return /\d[\d.]{15}/.test(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""));
}

function drawFile({ body, endpoint, headers }: Exchange, steps: NextSteps | null): Drawn {
  const open = make(["button", { type: "button" }, "Open the document"]);
  open.addEventListener("click", () => steps?.openDocument(body));
  const [, given] = /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "") ?? [];
  const [, ending = "bin"] = /\/([\w.-]+)/.exec(body.type) ?? [];
  const download = given ?? `${endpoint.operationId}.${ending}`;
  const href = URL.createObjectURL(body);
  return ["p", { class: "next" }, steps && open, ["a", { href, download }, `Save ${download}`]];
}
