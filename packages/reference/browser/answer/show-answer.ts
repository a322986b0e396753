import type { Exchange, NextSteps } from "./exchange.ts";

/**
 * Draws an answer as an outcome, with its next steps as buttons; the answer to such a step is drawn in the same place.
 * @param steps - null where nothing can be done with the answer: it has no buttons then, and the focus stays where it is
 */
export function showAnswer(place: HTMLElement, exchange: Exchange, steps: NextSteps | null): void {
  void draw(place, exchange, steps);
}

async function draw(
  place: HTMLElement,
  { body, status }: Exchange,
  steps: NextSteps | null,
): Promise<void> {
  const heading = document.createElement("h3");
  heading.tabIndex = -1;
  heading.textContent = status === null ? "No answer" : String(status);
  const content = document.createElement("pre");
  content.textContent = await body.text();
  place.replaceChildren(heading, content);
  if (steps !== null) heading.focus();
}
