import { type Drawn, make } from "../drawn.ts";
import type { Exchange, NextSteps } from "./exchange.ts";
import type { ReadAnswer } from "./read-answer.ts";

const advices: Readonly<Record<string, string>> = {
  safe: "You can send it again: nothing takes effect twice.",
  same_key: "Ask for the state, or send it again with this key: it never takes effect twice.",
  after_check: "First find out what happened. Do not send it with another key.",
  never: "Do not send it again unchanged.",
};

/**
 * Draws what can be done next: one sentence and the buttons, with the wait counted down; null if there is nothing to do.
 * @param show - called with the answer to a step
 */
export function drawNextSteps(
  { endpoint, headers, key, status }: Exchange,
  { href, isProblem, outcome, retry }: ReadAnswer,
  steps: NextSteps,
  show: (next: Exchange) => void,
): Drawn | null {
  const isState = endpoint.path === href;
  const isLost = status === null || (status >= 400 && !isProblem);
  const helps = isProblem
    ? retry === "safe" || retry === "same_key"
    : isLost || (key !== null && outcome !== null);
  // The next answer belongs to the same key.
  const button = (name: string, take: () => Promise<Exchange>): HTMLElement =>
    stepButton(name, () => take().then((next) => show({ ...next, key })));
  const ask =
    href === null
      ? null
      : button(isState ? "Ask again" : "Ask for the state", () => steps.askState(href));
  const send = helps
    ? button(key === null ? "Send again" : "Send again with this key", () => steps.sendAgain())
    : null;
  const advice = advices[retry ?? ""];
  if (ask === null && send === null && advice === undefined) return null;
  const wait = make(["p", { class: "note" }]);
  const seconds = Number(headers.get("retry-after"));
  if (send !== null)
    countDown(seconds, wait, isState ? "The gateway may know more" : "Send it again", send);
  return [
    "div",
    { class: "next" },
    advice === undefined ? null : ["p", {}, advice],
    ask,
    send,
    wait,
  ];
}

function stepButton(name: string, take: () => Promise<void>): HTMLElement {
  const button = make(["button", { type: "button" }, name]);
  button.addEventListener("click", () => {
    if (button.ariaDisabled === "true") return;
    // A button that is disabled would lose the focus.
    button.ariaDisabled = "true";
    void take();
  });
  return button;
}

/** Says every second how long to wait; a button that only then helps waits, too. */
function countDown(seconds: number, place: HTMLElement, word: string, button: HTMLElement): void {
  if (!(seconds > 0)) return;
  const until = performance.now() + seconds * 1_000;
  const show = (): void => {
    const left = Math.ceil((until - performance.now()) / 1_000);
    place.textContent = left > 0 ? `${word} in ${left} s.` : "";
    button.ariaDisabled = String(left > 0);
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(show, 1_000);
  show();
}
