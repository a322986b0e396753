import { type Exchange, isProblem, isState } from "../answer/exchange.ts";
import { newUuid } from "./new-uuid.ts";

/** The idempotency key of a form. */
export interface SubmissionKey {
  /** Returns the key, and the value of the header `Idempotency-Key`. */
  readonly take: () => { readonly key: string; readonly header: string };
  /** Creates a new key after a final answer. Keeps the key while it is unknown whether the insurer acted. */
  readonly settle: (exchange: Exchange, answer: unknown) => void;
}

/** Shows an idempotency key and keeps the key in this tab, even after a reload. */
export function startKey(field: HTMLInputElement, { dataset }: HTMLFormElement): SubmissionKey {
  const place = `insurance-gateway-key ${dataset.method} ${dataset.path}`;
  let created = sessionStorage.getItem(place) ?? newUuid();
  field.value = created;
  const renew = (): void => {
    sessionStorage.removeItem(place);
    created = newUuid();
    field.value = created;
  };
  field.form?.querySelector("[data-new-key]")?.addEventListener("click", renew);
  return {
    take() {
      if (field.value.trim() === "") renew();
      const key = field.value.trim();
      if (key !== created) return { key, header: key };
      sessionStorage.setItem(place, key);
      return { key, header: `"${key}";generated` };
    },
    settle(exchange, answer) {
      if (field.value.trim() === created && isFinal(exchange, answer)) renew();
    },
  };
}

const finalWords: readonly unknown[] = ["rejected", "executed", "succeeded", "failed"];

/** Reports whether an answer is a success or contains the final state of the submission. */
function isFinal(exchange: Exchange, answer: unknown): boolean {
  const { endpoint, status } = exchange;
  const { outcome, state }: { readonly outcome?: unknown; readonly state?: unknown } =
    Object(answer);
  if (isProblem(exchange)) return finalWords.includes(outcome);
  if (isState(exchange)) return finalWords.includes(state);
  return status !== null && status < 300 && endpoint.kind === "submission";
}
