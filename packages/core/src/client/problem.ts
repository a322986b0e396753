import type { Fault, FaultCode } from "../contract/faults.ts";
import type { Outcome, Problem, ProblemReconciliation, RetryAdvice } from "../errors/index.ts";

const outcomes: readonly Outcome[] = ["not_sent", "rejected", "unknown", "executed"];
const advices: readonly RetryAdvice[] = ["safe", "same_key", "after_check", "never"];

/**
 * Reads the declared properties of a problem and ignores all others, so that no error contains unknown data. Returns
 * null if the body is not a problem.
 */
export function asProblem(body: unknown, status: number): Problem | null {
  if (typeof body !== "object" || body === null) return null;
  const field = (name: string): unknown => Reflect.get(body, name);
  const text = (name: string): string => textOrEmpty(field(name));
  const outcome = outcomes.find((known) => known === field("outcome"));
  const retry = advices.find((known) => known === field("retry"));
  if (typeof field("code") !== "string" || outcome === undefined || retry === undefined)
    return null;
  const reconciliation = asReconciliation(field("reconciliation"));
  const insurerId = textInForm(INSURER_ID_FORM, field("insurerId"));
  return {
    type: text("type"),
    title: text("title"),
    status,
    code: text("code"),
    detail: text("detail"),
    requestId: text("requestId"),
    provider: typeof field("provider") === "string" ? text("provider") : null,
    outcome,
    retry,
    errors: asFaults(field("errors")),
    ...(reconciliation === null ? {} : { reconciliation }),
    ...(insurerId === null ? {} : { insurerId }),
  };
}

/** Path on the gateway's own host. Two slashes at its start would name another host. */
const HREF_FORM = /^\/(?!\/)[A-Za-z0-9._~/-]*$/;
/** At most 200 printable characters of any script. */
const INSURER_ID_FORM = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

function asReconciliation(value: unknown): ProblemReconciliation | null {
  if (typeof value !== "object" || value === null) return null;
  const { href, endpoint, parameters } = { href: null, endpoint: null, parameters: null, ...value };
  const address = textInForm(HREF_FORM, href);
  const reconciliation: ProblemReconciliation = {
    ...(address === null ? {} : { href: address }),
    ...(typeof endpoint !== "string" || typeof parameters !== "object" || parameters === null
      ? {}
      : { endpoint, parameters: asParameters(parameters) }),
  };
  return Object.keys(reconciliation).length === 0 ? null : reconciliation;
}

function asParameters(parameters: object): NonNullable<ProblemReconciliation["parameters"]> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, place]) => [name, { from: parameterOriginOf(place) }]),
  );
}

/**
 * Returns the JSON Pointer of a search parameter's value in the submission; empty if the problem has no such pointer.
 */
function parameterOriginOf(place: unknown): string {
  return typeof place === "object" && place !== null && "from" in place
    ? textOrEmpty(place.from)
    : "";
}

/** Reads the faults of a problem. A fault that is not an object is ignored. */
function asFaults(value: unknown): readonly Fault[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((fault) => typeof fault === "object" && fault !== null)
    .map((fault) => ({
      pointer: textOrEmpty(fault.pointer),
      // A newer gateway may send a code that this version does not know.
      code: (textOrEmpty(fault.code) || "INVALID") as FaultCode,
      message: textOrEmpty(fault.message),
    }));
}

function textInForm(form: RegExp, value: unknown): string | null {
  return typeof value === "string" && form.test(value) ? value : null;
}

/** Returns the value if it is a text, otherwise an empty text. */
function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
