import { type Exchange, type NextSteps, send } from "../answer/exchange.ts";
import { showAnswer } from "../answer/show-answer.ts";
import { keptToken, rejectToken } from "../token.ts";
import { type Bodies, startBodyViews } from "./body-views.ts";
import { clearFaults, type Fault, focusFault, showFault, showFaults } from "./faults.ts";
import { type Control, startFields } from "./fields.ts";
import { type BuiltRequest, buildRequest } from "./request.ts";
import { startKey } from "./submission-key.ts";
import type { Values } from "./values.ts";

const form = document.querySelector<HTMLFormElement>("#try-it form");
if (form !== null) startForm(form);

/** The values of an example, as the page has them. */
interface FormExample {
  readonly path: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly bodies: Bodies;
}

/** A request with the key that stays with it. */
interface Prepared extends BuiltRequest {
  readonly key: string | null;
}

/** Starts the form of an endpoint: it sends what the reader has entered, and shows the answer below. */
function startForm(form: HTMLFormElement): void {
  const examples: Readonly<Record<string, FormExample>> = JSON.parse(
    form.querySelector("script")?.textContent ?? "{}",
  );
  const values: Values = {};
  const fields = startFields(form, values);
  const body = startBodyViews(form, values, fields);
  const keyField = form.querySelector<HTMLInputElement>("#try-key");
  const key = keyField === null ? null : startKey(keyField, form);
  const scenario = form.querySelector<HTMLSelectElement>("#try-scenario");
  const answerPlace = form.parentElement?.querySelector<HTMLElement>(":scope > .try-answer");
  const transmit = startProgress(form);

  const takeExample = (example: FormExample): void => {
    const { bodies, headers, path, query } = structuredClone(example);
    Object.assign(values, { path, query, headers });
    for (const group of form.querySelectorAll(":scope > [data-key]")) fields.fill(group);
    body.take(bodies);
  };
  const all = Object.values(examples);
  const [first] = all;
  if (first !== undefined)
    takeExample({
      ...first,
      bodies: Object.assign({}, ...all.map(({ bodies }) => bodies).toReversed()),
    });
  const menu = form.querySelector<HTMLSelectElement>("#try-example");
  menu?.addEventListener("change", () => {
    const chosen = examples[menu.value];
    clearFaults(form);
    if (chosen !== undefined) takeExample(chosen);
  });

  const prepare = (): Prepared => {
    const request = buildRequest(form, values, body.read());
    const taken = key?.take();
    if (taken !== undefined) request.headers.set("idempotency-key", taken.header);
    if (scenario !== null && scenario.value !== "")
      request.headers.set("x-sandbox-scenario", scenario.value);
    return { ...request, key: taken?.key ?? null };
  };
  const call = async (request: Prepared): Promise<Exchange> => {
    request.headers.set("authorization", `Bearer ${keptToken()}`);
    const { kind = "", method = "", operation = "" } = form.dataset;
    const [path = ""] = request.url.split("?");
    const endpoint = { kind, method, operationId: operation, path };
    const exchange = await transmit({ endpoint, key: request.key }, request.url, request);
    key?.settle(exchange, await jsonOf(exchange));
    return exchange;
  };
  const ask = async (href: string): Promise<Exchange> => {
    const endpoint = { kind: "read", method: "GET", operationId: "readSubmission", path: href };
    const headers = { authorization: `Bearer ${keptToken()}` };
    const exchange = await transmit({ endpoint, key: null }, href, { headers });
    key?.settle(exchange, await jsonOf(exchange));
    return exchange;
  };
  const submit = async (): Promise<void> => {
    clearFaults(form);
    if (keptToken() === "") return rejectToken(`Sending needs a token. ${howToGetToken()}`);
    for (const [control, fault] of [...emptyTexts(form), ...fields.faults(form)])
      if (control.checkVisibility()) showFault(control.parentElement ?? form, fault);
    if (focusFault(form)) return;
    const request = prepare();
    const exchange = await call(request);
    const { errors }: { readonly errors?: readonly Fault[] } = Object(await jsonOf(exchange));
    const steps: NextSteps = {
      askState: ask,
      sendAgain: () => call(request),
      openDocument: (file) => void open(URL.createObjectURL(file), "_blank"),
    };
    // The focus goes to the fault where there is one.
    const isFaulty = errors !== undefined || exchange.status === 401;
    if (answerPlace != null) showAnswer(answerPlace, exchange, isFaulty ? null : steps);
    if (exchange.status === 401)
      return rejectToken(`The gateway does not accept this token. ${howToGetToken()}`);
    showFaults(form, errors ?? []);
    focusFault(form);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.querySelector("[type=submit][aria-disabled=true]") === null) void submit();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

/** The texts of a body that must not be empty. */
function emptyTexts(form: HTMLFormElement): readonly (readonly [Control, string])[] {
  return [...form.querySelectorAll<HTMLTextAreaElement>(".text > textarea")]
    .filter(({ validity }) => validity.valueMissing)
    .map((text) => [text, "is required"] as const);
}

function howToGetToken(): string {
  return document.querySelector("#development-token") === null
    ? "Paste one from the issuer that your operator configured."
    : "Press “Get a development token”, or paste one.";
}

async function jsonOf({ body }: Exchange): Promise<unknown> {
  if (!body.type.includes("json")) return null;
  try {
    return JSON.parse(await body.text());
  } catch {
    return null;
  }
}

type Transmit = typeof send;

/** Sends one request at a time, shows how long it takes, and lets the reader cancel it. */
function startProgress(form: HTMLFormElement): Transmit {
  const note = form.querySelector<HTMLElement>(".send [role=status]");
  const button = form.querySelector<HTMLButtonElement>("[type=submit]");
  const cancel = form.querySelector<HTMLButtonElement>("[data-cancel]");
  if (note === null || button === null || cancel === null) return send;
  button.disabled = false;
  return async (called, url, request) => {
    const controller = new AbortController();
    const begun = Date.now();
    const tick = (): void => {
      note.textContent = `Sending, ${Math.round((Date.now() - begun) / 1_000)} s`;
    };
    const stop = (): void => controller.abort();
    // A button that is disabled would lose the focus.
    button.ariaDisabled = "true";
    cancel.hidden = false;
    cancel.addEventListener("click", stop);
    tick();
    const timer = setInterval(tick, 1_000);
    const exchange = await send(called, url, { ...request, signal: controller.signal });
    clearInterval(timer);
    cancel.removeEventListener("click", stop);
    cancel.hidden = true;
    button.ariaDisabled = "false";
    note.textContent = controller.signal.aborted ? "Cancelled" : "";
    return exchange;
  };
}
