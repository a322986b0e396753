import { type Exchange, send } from "./answer/exchange.ts";
import { fieldOf, textIn } from "./answer/read-answer.ts";
import { showAnswer } from "./answer/show-answer.ts";
import { keptToken, rejectToken } from "./token.ts";

/** One run: an application of a new customer, with a new key. */
interface Run {
  readonly key: string;
  readonly customer: string;
  /** The address of the submission's state; "" before the first answer. */
  href: string;
}

/** The finding of a step in a sentence, and whether the run goes on. */
interface Finding {
  readonly says: string;
  readonly goesOn: boolean;
}

/** One step: it shows its answer in a place. */
type Step = (run: Run, place: Element) => Promise<Finding>;

const found = (says: string): Finding => ({ says, goesOn: true });
const unexpected = (says: string): Finding => ({ says, goesOn: false });

const story = document.querySelector<HTMLElement>("#lost-answer");
if (story !== null) startStory(story);

function startStory(story: HTMLElement): void {
  const [start, next] = story.querySelectorAll("button[data-story]");
  const progress = story.querySelector("#story-progress");
  if (start === undefined || next === undefined || progress === null) return;
  for (const part of story.querySelectorAll<HTMLElement>(":scope > [hidden]")) part.hidden = false;
  const steps = stepsOf(story);
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
    if (keptToken() === "") return rejectToken("A token is needed to call the gateway.");
    // Buttons that are disabled would lose the focus.
    start.ariaDisabled = next.ariaDisabled = "true";
    for (const [index, step] of steps.entries()) {
      const card = cards[index];
      if (index < done || index >= until || card === undefined) continue;
      progress.textContent = `Step ${index + 1} of ${steps.length}: ${card.title}`;
      const { goesOn, says } = await step(run, card.place);
      card.finding.textContent = says;
      done = goesOn ? index + 1 : steps.length;
      progress.textContent =
        done < steps.length ? `Step ${done} of ${steps.length} is done.` : goesOn ? ALL_DONE : says;
      showRequests(cards, story.dataset.customer ?? "", run);
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

/** The parts of a step on the page. */
interface Card {
  readonly card: Element;
  readonly title: string;
  readonly code: Element;
  /** The command with its placeholders. */
  readonly command: string;
  readonly finding: Element;
  readonly place: Element;
  /** The content of the place before the first run. */
  readonly example: readonly Node[];
}

function partsOf(card: Element): readonly Card[] {
  const [title, code, finding, place] = ["h2", "pre code", ".finding", ".story-answer"].map(
    (part) => card.querySelector(part),
  );
  if (title == null || code == null || finding == null || place == null) return [];
  const name = title.textContent.replace(/^\d+ /, "");
  const command = code.textContent;
  return [{ card, title: name, code, command, finding, place, example: [...place.childNodes] }];
}

/** The steps, in their order on the page. */
function stepsOf({ dataset }: HTMLElement): readonly Step[] {
  const { body = "", customer = "", items = "", method = "", operation = "", path = "" } = dataset;
  const { scenario = "", search = "", searchOperation = "" } = dataset;
  const authorization = (): Record<string, string> => ({ authorization: `Bearer ${keptToken()}` });
  const submit = ({ customer: own, key }: Run): Promise<Exchange> =>
    send({ endpoint: { kind: "submission", method, operationId: operation, path }, key }, path, {
      headers: {
        ...authorization(),
        "content-type": "application/json",
        "idempotency-key": key,
        "x-sandbox-scenario": scenario,
      },
      body: body.replaceAll(customer, own),
    });
  const read = (operationId: string, kind: string, url: string): Promise<Exchange> => {
    const [path = ""] = url.split("?");
    const endpoint = { kind, method: "GET", operationId, path };
    return send({ endpoint, key: null }, url, { headers: authorization() });
  };
  const ask = ({ href }: Run): Promise<Exchange> => read("readSubmission", "read", href);
  const count = async ({ customer: own }: Run, place?: Element): Promise<number> => {
    const found = await read(searchOperation, "search", search.replaceAll(customer, own));
    if (place !== undefined) showAnswer(place, found, null);
    const names = items.split("/").slice(1);
    const list = names.reduce(fieldOf, await jsonOf(found));
    return Array.isArray(list) ? list.length : 0;
  };

  return [
    async (run, place) => {
      const answer = await submit(run);
      showAnswer(place, answer, null);
      run.href = textIn(fieldOf(await jsonOf(answer), "reconciliation"), "href");
      if (answer.status === 401) rejectToken("The gateway does not accept this token.");
      return answer.status === 504 && run.href !== ""
        ? found("The insurer has created the application. Your program cannot know that.")
        : unexpected("The gateway did not answer with 504. Read its answer, and start again.");
    },
    async (run, place) => {
      showAnswer(place, await ask(run), null);
      return found("This only reads the gateway's record: it sends no application.");
    },
    async (run, place) => {
      const begun = performance.now();
      for (;;) {
        const answer = await ask(run);
        showAnswer(place, answer, null);
        const state = textIn(await jsonOf(answer), "state");
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        if (state === "succeeded") return found(`Found out after ${seconds} s.`);
        if (state !== "outcome_unknown" && state !== "in_flight")
          return unexpected("The gateway did not find the application. Start again.");
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
    },
    async (run, place) =>
      found(`Applications of this customer at the insurer: ${await count(run, place)}.`),
    async (run, place) => {
      showAnswer(place, await submit(run), null);
      return found(`Applications of this customer at the insurer now: ${await count(run)}.`);
    },
  ];
}

const ASK_EVERY_MS = 500;

/** Puts the values of a run into the commands, so that they can be copied and repeated. */
function showRequests(cards: readonly Card[], customer: string, run: Run): void {
  const id = run.href.split("/").at(-1) || "SUBMISSION_ID";
  for (const { code, command } of cards)
    code.textContent = command
      .replaceAll(customer, run.customer)
      .replaceAll("YOUR_KEY", run.key)
      .replaceAll("SUBMISSION_ID", id);
}

function newRun(): Run {
  const digits = [...crypto.getRandomValues(new Uint32Array(8))].map((value) => value % 10);
  const sum = digits.reduce((total, digit, index) => total + digit * 2 ** (8 - index), 0);
  // The check digit is wrong on purpose: it is nobody's number.
  const check = (((sum % 11) % 10) + 1) % 10;
  const customer = [...digits, check].join("");
  return { customer, key: `lost-answer-${customer}`, href: "" };
}

async function jsonOf({ body }: Exchange): Promise<unknown> {
  try {
    return JSON.parse(await body.text());
  } catch {
    return null;
  }
}
