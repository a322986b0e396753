import { type Exchange, send } from "./answer/exchange.ts";
import { fieldOf, textIn } from "./answer/read-answer.ts";
import { showAnswer } from "./answer/show-answer.ts";
import { keptToken, rejectToken } from "./token.ts";

/** A run stops at an answer that it does not expect. */
class UnexpectedAnswer extends Error {}

/** One run: an application of a new customer, with a new key. */
interface Run {
  readonly key: string;
  readonly customer: string;
  /** The address of the submission's state; "" before the first answer. */
  href: string;
}

/** One step: it shows its answer, and returns its finding in a sentence. */
type Step = (run: Run, place: HTMLElement) => Promise<string>;

const story = document.querySelector<HTMLElement>("#lost-answer");
if (story !== null) startStory(story);

function startStory(story: HTMLElement): void {
  const start = story.querySelector<HTMLButtonElement>("#story-start");
  const next = story.querySelector<HTMLButtonElement>("#story-next");
  const progress = story.querySelector<HTMLElement>("#story-progress");
  const cards = [...story.querySelectorAll<HTMLElement>(".story-step")];
  if (start === null || next === null || progress === null) return;
  for (const part of story.querySelectorAll<HTMLElement>(":scope > [hidden]")) part.hidden = false;
  const steps = stepsOf(story);
  const requests = cards.map((card) => card.querySelector("pre")?.textContent ?? "");
  let run = newRun();
  let done = 0;

  const take = async (index: number): Promise<void> => {
    const card = cards[index];
    const step = steps[index];
    if (card === undefined || step === undefined) return;
    progress.textContent = `Step ${index + 1} of ${steps.length}: ${card.querySelector("h2")?.textContent.replace(/^\d+ /, "")}`;
    card.classList.add("running");
    const place = card.querySelector<HTMLElement>(".story-answer");
    const finding = card.querySelector<HTMLElement>(".finding");
    if (place === null || finding === null) return;
    try {
      finding.textContent = await step(run, place);
    } finally {
      showRequests(cards, requests, story.dataset.customer ?? "", run);
      card.classList.remove("running");
    }
  };
  const press = async (all: boolean): Promise<void> => {
    if (start.ariaDisabled === "true") return;
    if (keptToken() === "") return rejectToken("A token is needed to call the gateway.");
    // Buttons that are disabled would lose the focus.
    start.ariaDisabled = next.ariaDisabled = "true";
    if (done === steps.length) {
      run = newRun();
      done = 0;
      for (const finding of story.querySelectorAll(".finding")) finding.textContent = "";
    }
    try {
      const until = all ? steps.length : done + 1;
      for (; done < until; done++) await take(done);
      if (done === steps.length)
        progress.textContent = "Done: one application, sent once, and its answer is back.";
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error;
      progress.textContent = error.message;
      done = steps.length;
    } finally {
      start.ariaDisabled = next.ariaDisabled = "false";
      start.textContent = done === steps.length ? "Start again" : done === 0 ? "Start" : "Continue";
    }
  };
  start.addEventListener("click", () => void press(true));
  next.addEventListener("click", () => void press(false));
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
  const count = async ({ customer: own }: Run, place?: HTMLElement): Promise<number> => {
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
      if (answer.status === 401) {
        rejectToken("The gateway does not accept this token.");
        throw new UnexpectedAnswer("The gateway does not accept this token. Get another one.");
      }
      if (answer.status !== 504 || run.href === "")
        throw new UnexpectedAnswer("The gateway gave another answer than 504. Start again.");
      return "The insurer has created the application. Your program cannot know that.";
    },
    async (run, place) => {
      const answer = await ask(run);
      showAnswer(place, answer, null);
      return "This only reads the gateway's record: it sends no application.";
    },
    async (run, place) => {
      const begun = performance.now();
      for (;;) {
        const answer = await ask(run);
        showAnswer(place, answer, null);
        const state = textIn(await jsonOf(answer), "state");
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        if (state === "succeeded") return `Found out after ${seconds} s.`;
        if (state !== "outcome_unknown" && state !== "in_flight")
          throw new UnexpectedAnswer("The gateway did not find the application. Start again.");
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
    },
    async (run, place) =>
      `Applications of this customer at the insurer: ${await count(run, place)}.`,
    async (run, place) => {
      showAnswer(place, await submit(run), null);
      return `Applications of this customer at the insurer now: ${await count(run)}.`;
    },
  ];
}

const ASK_EVERY_MS = 500;

/** Puts the values of a run into the commands, so that they can be copied and repeated. */
function showRequests(
  cards: readonly HTMLElement[],
  requests: readonly string[],
  customer: string,
  { customer: own, href, key }: Run,
): void {
  for (const [index, card] of cards.entries()) {
    const code = card.querySelector("pre code");
    const text = requests[index]?.replaceAll(customer, own).replaceAll("YOUR_KEY", key) ?? "";
    const id = href.split("/").at(-1) || "SUBMISSION_ID";
    if (code !== null) code.textContent = text.replaceAll("SUBMISSION_ID", id);
  }
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
