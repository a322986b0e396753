import { type CallFlow, sequence } from "../../src/site/sequence.ts";
import type { Drawn } from "../drawn.ts";

/** Draws the messages of one call between the reader's program, the gateway and the insurer. */
export function drawFlow(flow: CallFlow): Drawn {
  const { shapes, viewBox } = sequence([flow]);
  const reached = flow.reaches === "insurer" ? "reached the insurer" : "ended at the gateway";
  const label =
    flow.reaches === "unknown"
      ? "It is unknown how far your request came."
      : `Your request ${reached}: ${flow.says}.`;
  return [
    "div",
    { class: "picture" },
    ["svg", { viewBox, role: "img", "aria-label": label }, ...shapes],
  ];
}
