import type { Advice } from "@insurance-gateway/core/problems";

const outcomes: Readonly<Record<string, string>> = {
  not_sent: "No. The insurer never received it.",
  rejected: "No. The insurer read the request and refused it.",
  unknown: "Not known yet. The insurer may have acted.",
  executed: "Yes. The insurer's answer cannot be used.",
} satisfies Record<Advice["outcome"], string>;

/** The sentence for each retry advice. A key such as `never unknown` is for an advice together with an outcome. */
const retries: Readonly<Record<string, string>> = {
  safe: "Send it again, after `Retry-After` if there is one.",
  same_key: "Send it again with the same `Idempotency-Key`, which never takes effect twice.",
  after_check:
    "First find out what happened, at `reconciliation.href` or with the search that `reconciliation` names.",
  never: "Do not send it again without a change.",
  "never unknown":
    "Do not send it again as it is, and never with another key: an earlier request may have taken effect.",
  "never executed": "Do not send it again: the insurer has carried it out.",
} satisfies Record<Advice["retry"], string> & Record<string, string>;

/**
 * Describes in Markdown whether the insurer acted and whether to send the call again. Pages and scripts use this text.
 * @param advice - the outcome and the retry advice of a problem; a value that this version does not know has no
 * sentence
 */
export function adviceInWords({
  outcome,
  retry,
}: Readonly<Record<keyof Advice, string>>): readonly [acted: string, again: string] {
  return [outcomes[outcome] ?? "", retries[`${retry} ${outcome}`] ?? retries[retry] ?? ""];
}
