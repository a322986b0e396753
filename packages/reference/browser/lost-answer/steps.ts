import { type Exchange, isProblem, isState, jsonOf, send } from "../answer/exchange.ts";
import { fieldOf, hrefIn, textIn } from "../answer/read-answer.ts";
import { showAnswer } from "../answer/show-answer.ts";
import { rejectToken, storedToken } from "../token.ts";

/**
 * A run of the demonstration of a lost answer: an application for insurance of a new customer, with a new idempotency
 * key.
 */
export interface Run {
  readonly key: string;
  readonly customer: string;
  /** The address of the submission's state; "" before the first answer. */
  href: string;
}

/** The result of a step in a sentence, and the next step, if any. */
export interface Finding {
  readonly says: string;
  readonly leads: "next" | "repeat" | "restart";
}

/** A step of the demonstration of a lost answer. The step shows the gateway's answer in a place of the page. */
export type Step = (calls: Calls, run: Run, place: Element) => Promise<Finding>;

/** The calls of the demonstration. */
interface Calls {
  readonly submit: (run: Run) => Promise<Exchange>;
  readonly ask: (run: Run) => Promise<Exchange>;
  readonly search: (run: Run) => Promise<Exchange>;
  /** Returns the number of applications in the answer to `search`; null if the answer has no list. */
  readonly count: (found: Exchange) => Promise<number | null>;
}

/** The steps of the demonstration of a lost answer, in the order of the page. */
export const steps: readonly Step[] = [loseAnswer, askState, awaitState, readRecord, sendAgain];

const found = (says: string): Finding => ({ says, leads: "next" });
const unexpected = (says: string): Finding => ({
  says: `${says} Read its answer, and start again.`,
  leads: "restart",
});

async function loseAnswer({ submit }: Calls, run: Run, place: Element): Promise<Finding> {
  const answer = await submit(run);
  showAnswer(place, answer, null);
  if (answer.status === 401) rejectToken("refused");
  run.href = (isProblem(answer) ? hrefIn(await jsonOf(answer)) : null) ?? "";
  return answer.status === 504 && run.href !== ""
    ? found("The insurer has created the application. Your program cannot know that.")
    : unexpected("The gateway did not answer with 504.");
}

async function askState({ ask }: Calls, run: Run, place: Element): Promise<Finding> {
  const answer = await ask(run);
  showAnswer(place, answer, null);
  return isState(answer)
    ? found("This only reads the gateway's record: it sends no application.")
    : unexpected("The gateway did not answer with its record.");
}

async function awaitState({ ask }: Calls, run: Run, place: Element): Promise<Finding> {
  const begun = performance.now();
  for (;;) {
    const answer = await ask(run);
    showAnswer(place, answer, null);
    const state = isState(answer) ? textIn(await jsonOf(answer), "state") : "";
    const millis = performance.now() - begun;
    if (state === "succeeded") return found(`Found out after ${(millis / 1_000).toFixed(1)} s.`);
    if (state !== "outcome_unknown" && state !== "in_flight")
      return unexpected("The gateway did not find the application.");
    const seconds = Number(answer.headers.get("retry-after"));
    const wait = seconds > 0 ? seconds * 1_000 : ASK_EVERY_MS;
    if (millis + wait > ASK_FOR_MS)
      return { says: "The gateway is still asking. Continue later.", leads: "repeat" };
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const ASK_EVERY_MS = 500;
const ASK_FOR_MS = 60_000;

async function readRecord({ count, search }: Calls, run: Run, place: Element): Promise<Finding> {
  const answer = await search(run);
  showAnswer(place, answer, null);
  return counted("Applications of this customer at the insurer", await count(answer));
}

async function sendAgain(calls: Calls, run: Run, place: Element): Promise<Finding> {
  const answer = await calls.submit(run);
  showAnswer(place, answer, null);
  if (answer.headers.get("idempotency-replayed") !== "true")
    return unexpected("The gateway did not answer with the stored answer.");
  const applications = await calls.count(await calls.search(run));
  return counted("Applications of this customer at the insurer now", applications);
}

function counted(name: string, applications: number | null): Finding {
  if (applications === null) return unexpected("The insurer's search did not answer with a list.");
  return applications === 1
    ? found(`${name}: 1.`)
    : unexpected(`${name}: ${applications} instead of 1.`);
}

/** Creates the calls of the demonstration of a lost answer from the data of the page. */
export function callsOf({ dataset }: HTMLElement): Calls {
  const { body = "", customer = "", items = "", method = "", operation = "", path = "" } = dataset;
  const { scenario = "", search = "", searchOperation = "" } = dataset;
  const authorization = (): Record<string, string> => ({
    authorization: `Bearer ${storedToken()}`,
  });
  const read = (operationId: string, kind: string, url: string): Promise<Exchange> => {
    const [path = ""] = url.split("?");
    const endpoint = { kind, method: "GET", operationId, path };
    return send({ endpoint, key: null }, url, { headers: authorization() });
  };
  return {
    submit: ({ customer: own, key }) =>
      send({ endpoint: { kind: "submission", method, operationId: operation, path }, key }, path, {
        headers: {
          ...authorization(),
          "content-type": "application/json",
          "idempotency-key": key,
          "x-sandbox-scenario": scenario,
        },
        body: body.replaceAll(customer, own),
      }),
    ask: ({ href }) => read("readSubmission", "read", href),
    search: ({ customer: own }) =>
      read(searchOperation, "search", search.replaceAll(customer, own)),
    async count(answer) {
      const names = items.split("/").slice(1);
      const list = names.reduce(fieldOf, await jsonOf(answer));
      return answer.status === 200 && Array.isArray(list) ? list.length : null;
    },
  };
}
