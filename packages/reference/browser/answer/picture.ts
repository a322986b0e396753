import { sequence, type Way } from "../../src/site/sequence.ts";
import type { Drawn } from "../drawn.ts";

/** Draws the messages of one call between the reader's program, the gateway and the insurer. */
export function drawWay(way: Way): Drawn {
  const { shapes, viewBox } = sequence([way]);
  const reached = way.reaches === "insurer" ? "reached the insurer" : "ended at the gateway";
  const label =
    way.reaches === "unknown"
      ? "It is not known how far your request came."
      : `Your request ${reached}: ${way.says}.`;
  return [
    "div",
    { class: "picture" },
    ["svg", { viewBox, role: "img", "aria-label": label }, ...shapes],
  ];
}
