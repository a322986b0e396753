import { showCode, templateOf } from "../code-blocks.ts";
import { hasToken } from "../token.ts";
import { callsOf, type Run, steps } from "./steps.ts";

const story = document.querySelector<HTMLElement>("#lost-answer");
if (story !== null) startStory(story);

function startStory(story: HTMLElement): void {
  const [start, next] = story.querySelectorAll("button[data-story]");
  const progress = story.querySelector("#story-progress");
  if (start === undefined || next === undefined || progress === null) return;
  for (const part of story.querySelectorAll<HTMLElement>(":scope > [hidden]")) part.hidden = false;
  const calls = callsOf(story);
  const cards = [...story.querySelectorAll(".story-step")].flatMap(partsOf);
  let run = newRun();
  let done = 0;

  const restart = (): void => {
    run = newRun();
    done = 0;
    for (const { example, finding, place } of cards) {
      finding.textContent = "";
      place.replaceChildren(...example);
    }
  };
  const press = async (until: number): Promise<void> => {
    if (start.ariaDisabled === "true") return;
    if (!hasToken()) return;
    // Disabled buttons would lose the focus.
    start.ariaDisabled = next.ariaDisabled = "true";
    for (const [index, step] of steps.entries()) {
      const card = cards[index];
      if (index < done || index >= until || card === undefined) continue;
      progress.textContent = `Step ${index + 1} of ${steps.length}: ${card.title}`;
      const { leads, says } = await step(calls, run, card.place);
      card.finding.textContent = says;
      done = { next: index + 1, repeat: index, restart: steps.length }[leads];
      showRequests(cards, story.dataset.customer ?? "", run);
      progress.textContent = says;
      if (leads !== "next") break;
      progress.textContent =
        done < steps.length ? `Step ${done} of ${steps.length} is done.` : ALL_DONE;
    }
    start.ariaDisabled = next.ariaDisabled = "false";
    start.textContent = done < steps.length ? "Continue" : "Start again";
  };
  start.addEventListener("click", () => {
    if (done === steps.length) restart();
    void press(steps.length);
  });
  next.addEventListener("click", () => {
    if (done === steps.length) restart();
    cards[done]?.card.scrollIntoView();
    void press(done + 1);
  });
}

const ALL_DONE = "Done: one application, sent once, and its answer is back.";

/** The elements of one step of the demonstration on the page. */
interface Card {
  readonly card: Element;
  readonly title: string;
  readonly code: HTMLElement;
  /** The command as text, with placeholders for the values of a run. */
  readonly command: string;
  readonly finding: Element;
  readonly place: Element;
  /** The card's content before the first run of the demonstration. */
  readonly example: readonly Node[];
}

function partsOf(card: Element): readonly Card[] {
  const code = card.querySelector<HTMLElement>("pre[data-token]");
  const [title, finding, place] = ["h2", ".finding", ".story-answer"].map((part) =>
    card.querySelector(part),
  );
  if (title == null || code == null || finding == null || place == null) return [];
  const name = title.textContent.replace(/^\d+ /, "");
  const command = templateOf(code);
  return [{ card, title: name, code, command, finding, place, example: [...place.childNodes] }];
}

/** Inserts the values of a run into the shown commands, so that readers can repeat the commands. */
function showRequests(cards: readonly Card[], customer: string, run: Run): void {
  const id = run.href.split("/").at(-1) || "SUBMISSION_ID";
  for (const { code, command } of cards)
    showCode(
      code,
      command
        .replaceAll(customer, run.customer)
        .replaceAll("YOUR_KEY", run.key)
        .replaceAll("SUBMISSION_ID", id),
    );
}

function newRun(): Run {
  const digits = [...crypto.getRandomValues(new Uint32Array(8))].map((value) => value % 10);
  const sum = digits.reduce((total, digit, index) => total + digit * 2 ** (8 - index), 0);
  // The check digit is deliberately wrong, so the number belongs to nobody.
  const check = (((sum % 11) % 10) + 1) % 10;
  const customer = [...digits, check].join("");
  return { customer, key: `lost-answer-${customer}`, href: "" };
}
