import { adviceInWords } from "../../src/errors/advice-in-words.ts";
import { type Drawn, make, prose } from "../drawn.ts";
import { type Exchange, isProblem, type NextSteps } from "./exchange.ts";
import { type ReadAnswer, textIn } from "./read-answer.ts";

/**
 * Draws the next steps after an answer: a sentence and buttons, with a countdown if the reader must wait. Returns null
 * if there are no next steps.
 * @param show - receives the answer to a step
 */
export function drawNextSteps(
  exchange: Exchange,
  { href, outcome, own }: ReadAnswer,
  steps: NextSteps,
  show: (next: Exchange) => void,
): Drawn | null {
  const { endpoint, headers, key, status } = exchange;
  const retry = textIn(own, "retry");
  const [, advice] = adviceInWords({ outcome: textIn(own, "outcome"), retry });
  const isState = endpoint.path === href;
  const isLost = status === null || (status >= 400 && !isProblem(exchange));
  const helps = isProblem(exchange)
    ? retry === "safe" || retry === "same_key"
    : isLost || (key !== null && outcome !== null);
  // The answer to the next step belongs to the same key.
  const button = (name: string, take: () => Promise<Exchange>): HTMLElement =>
    stepButton(name, () => take().then((next) => show({ ...next, key })));
  const ask =
    href === null
      ? null
      : button(isState ? "Ask again" : "Ask for the state", () => steps.askState(href));
  const send = helps
    ? button(key === null ? "Send again" : "Send again with this key", () => steps.sendAgain())
    : null;
  if (ask === null && send === null && advice === "") return null;
  const wait = make(["p", { class: "note" }]);
  const seconds = Number(headers.get("retry-after"));
  if (send !== null)
    countDown(seconds, wait, isState ? "The gateway may know more" : "Send it again", send);
  return [
    "div",
    { class: "next" },
    advice === "" ? null : ["p", {}, prose(advice)],
    ask,
    send,
    wait,
  ];
}

function stepButton(name: string, take: () => Promise<void>): HTMLElement {
  const button = make(["button", { type: "button" }, name]);
  button.addEventListener("click", () => {
    if (button.ariaDisabled === "true") return;
    // A disabled button would lose the focus.
    button.ariaDisabled = "true";
    void take();
  });
  return button;
}

/** Shows the remaining wait every second, and disables a button until the wait is over. */
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
