import type { Drawn } from "../drawn.ts";
import { type Exchange, isProblem } from "./exchange.ts";

/** Maximum number of shown characters of an answer, because a longer text would slow the page down. */
const SHOWN_CHARACTERS = 200_000;

/**
 * Draws the body of an answer with wrapped lines, or a file with buttons to open and save the file. The body of a
 * problem is folded, because the page already shows the problem's parts.
 */
export function drawContent(exchange: Exchange, text: string, json: unknown): Drawn | null {
  const { body } = exchange;
  if (body.size === 0) return null;
  if (!/json|xml|^text\//.test(body.type)) return drawFile(exchange);
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

/** Reports whether a JSON text contains a number with more digits than JavaScript's numbers keep (about 15). */
function hasLongNumber(json: string): boolean {
  return /\d[\d.]{15}/.test(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""));
}

function drawFile({ body, endpoint, headers }: Exchange): Drawn {
  const [, given] = /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "") ?? [];
  const [, ending = "bin"] = /\/([\w.-]+)/.exec(body.type) ?? [];
  const download = given ?? `${endpoint.operationId}.${ending}`;
  const href = URL.createObjectURL(body);
  // Without `noopener`, the new tab would get a copy of this tab's storage with the token.
  const elsewhere = { href, target: "_blank", rel: "noopener" };
  return [
    "p",
    { class: "next" },
    ["a", { ...elsewhere, class: "button" }, "Open the document"],
    ["a", { href, download }, `Save ${download}`],
  ];
}

/** Releases the files of a replaced answer, which the browser would otherwise keep until the page is closed. */
export function releaseFiles(place: Element): void {
  for (const { href } of place.querySelectorAll<HTMLAnchorElement>("a[download]"))
    URL.revokeObjectURL(href);
}
