import { type Exchange, jsonOf, send } from "../answer/exchange.ts";
import { storedToken } from "../token.ts";
import type { BuiltRequest } from "./request.ts";
import type { SubmissionKey } from "./submission-key.ts";

/** A request with its idempotency key. */
export interface KeyedRequest extends BuiltRequest {
  readonly key: string | null;
}

/** The calls that a form can make, each with the tab's token. */
export interface FormCalls {
  /** Calls the form's endpoint. */
  readonly call: (request: KeyedRequest) => Promise<Exchange>;
  /** Queries the state of a submission at its address. */
  readonly ask: (href: string) => Promise<Exchange>;
}

/** Sends the calls of a form, and passes each answer to the form's idempotency key. */
export function createFormCalls(form: HTMLFormElement, key: SubmissionKey | null): FormCalls {
  const transmit = startProgress(form);
  const authorization = (): string => `Bearer ${storedToken()}`;
  const settled = async (exchange: Exchange): Promise<Exchange> => {
    key?.settle(exchange, await jsonOf(exchange));
    return exchange;
  };
  return {
    async call(request) {
      request.headers.set("authorization", authorization());
      const { kind = "", method = "", operation = "" } = form.dataset;
      const [path = ""] = request.url.split("?");
      const endpoint = { kind, method, operationId: operation, path };
      return settled(await transmit({ endpoint, key: request.key }, request.url, request));
    },
    async ask(href) {
      const endpoint = { kind: "read", method: "GET", operationId: "readSubmission", path: href };
      const headers = { authorization: authorization() };
      return settled(await transmit({ endpoint, key: null }, href, { headers }));
    },
  };
}

type Transmit = typeof send;

/** Sends one request at a time, shows the elapsed time, and lets the reader cancel. */
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
    // A disabled button would lose the focus.
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
