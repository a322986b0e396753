import { type Exchange, isProblem, jsonOf, type NextSteps } from "../answer/exchange.ts";
import { showAnswer } from "../answer/show-answer.ts";
import { hasToken, rejectToken } from "../token.ts";
import { startBodyViews } from "./body-views.ts";
import { startExamples } from "./examples.ts";
import { clearFaults, type Fault, focusFault, showFault, showFaults } from "./faults.ts";
import { type Control, startFields } from "./fields.ts";
import { buildRequest } from "./request.ts";
import { createFormCalls, type KeyedRequest } from "./sending.ts";
import { startKey } from "./submission-key.ts";
import type { Values } from "./values.ts";

const form = document.querySelector<HTMLFormElement>("#try-it form");
const answer = document.querySelector<HTMLElement>("#try-it > .try-answer");
if (form !== null && answer !== null) startForm(form, answer);

/** Starts the form of an endpoint: it sends the reader's input and shows the answer below. */
function startForm(form: HTMLFormElement, answer: HTMLElement): void {
  const values: Values = {};
  const fields = startFields(form, values);
  const body = startBodyViews(form, values, fields);
  startExamples(form, values, fields, body);
  const keyField = form.querySelector<HTMLInputElement>("#try-key");
  const key = keyField === null ? null : startKey(keyField, form);
  const sending = createFormCalls(form, key);
  const scenario = form.querySelector<HTMLSelectElement>("#try-scenario");

  const prepare = (): KeyedRequest => {
    const request = buildRequest(form, values, body.read());
    const taken = key?.take();
    if (taken !== undefined) request.headers.set("idempotency-key", taken.header);
    if (scenario !== null && scenario.value !== "")
      request.headers.set("x-sandbox-scenario", scenario.value);
    return { ...request, key: taken?.key ?? null };
  };
  const send = async (request: KeyedRequest): Promise<void> => {
    const exchange = await sending.call(request);
    const faults = await faultsIn(exchange);
    const steps: NextSteps = {
      askState: sending.ask,
      sendAgain: () => sending.call(request),
    };
    if (exchange.status === 401) rejectToken("refused");
    showFaults(form, faults);
    // A field with a fault gets the focus; then the answer is not announced to screen readers.
    const isFaulty = focusFault(form) || exchange.status === 401;
    showAnswer(answer, exchange, isFaulty ? null : steps);
  };
  const submit = async (): Promise<void> => {
    clearFaults(form);
    if (!hasToken()) return;
    for (const [control, fault] of [...emptyTexts(form), ...fields.faults(form)])
      if (control.checkVisibility()) showFault(control.parentElement ?? form, fault);
    if (!focusFault(form)) await send(prepare());
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.querySelector("[type=submit][aria-disabled=true]") === null) void submit();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

/** Returns an error for each empty text field of a body that must not be empty. */
function emptyTexts(form: HTMLFormElement): readonly (readonly [Control, string])[] {
  return [...form.querySelectorAll<HTMLTextAreaElement>(".text > textarea")]
    .filter(({ validity }) => validity.valueMissing)
    .map((text) => [text, "is required"] as const);
}

/** Returns the faults of a request that the gateway reported. */
async function faultsIn(exchange: Exchange): Promise<readonly Fault[]> {
  if (!isProblem(exchange)) return [];
  const { errors = [] }: { readonly errors?: readonly Fault[] } = Object(await jsonOf(exchange));
  return errors;
}
