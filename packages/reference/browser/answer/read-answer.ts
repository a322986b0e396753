import type { CallFlow } from "../../src/site/sequence.ts";
import { type Exchange, isProblem, isState } from "./exchange.ts";

/** The parts of an answer that the page draws. */
export interface ReadAnswer {
  readonly title: string;
  /** The outcome as a word, with the class of its colour, and as a sentence; null for a call that changes nothing. */
  readonly outcome: Outcome | null;
  readonly flow: CallFlow | null;
  /** The parsed body of the gateway's own answers: a problem, or the state of a submission; otherwise undefined. */
  readonly own: unknown;
  /** The address of the submission's state. */
  readonly href: string | null;
}

interface Outcome {
  readonly word: string;
  readonly colour: string;
  readonly says: string;
}

const outcome = (word: string, says: string, colour = word): Outcome => ({ word, colour, says });

/**
 * Reads from an answer the outcome of the call, and the messages of the call for the picture.
 * @param json - the parsed body
 */
export function readAnswer(exchange: Exchange, json: unknown): ReadAnswer {
  const { endpoint, headers, status } = exchange;
  const own = isProblem(exchange) || isState(exchange) ? json : undefined;
  const state = isState(exchange) ? outcomesByState[textIn(own, "state")] : undefined;
  const isSubmission = endpoint.kind === "submission";
  const known = isProblem(exchange)
    ? readProblem(textIn(own, "outcome"), isSubmission, headers)
    : readSuccess(exchange, isSubmission);
  const [said, flow] = state === undefined ? known : [state, null];
  const stated = state === undefined ? (headers.get("location") ?? "") : endpoint.path;
  return {
    title: textIn(own, "title") || titleOf(status, state !== undefined),
    outcome: said,
    flow,
    own,
    href: hrefIn(own) ?? (stated.includes("/submissions/") && isOnHost(stated) ? stated : null),
  };
}

/** Returns the address in a problem's `reconciliation`; null if there is no address. */
export function hrefIn(problem: unknown): string | null {
  const href = textIn(fieldOf(problem, "reconciliation"), "href");
  return isOnHost(href) ? href : null;
}

/** Reports whether an address is a path of this host. Only this host may receive the token. */
function isOnHost(href: string): boolean {
  return /^\/[^/\\\s]/.test(href);
}

type OutcomeAndFlow = readonly [Outcome | null, CallFlow | null];

const flow = (
  word: string,
  says: string,
  reaches: CallFlow["reaches"] = "insurer",
  insurerAnswers = true,
): CallFlow => ({ outcome: word, says, reaches, insurerAnswers, answers: true });

function readProblem(word: string, isSubmission: boolean, headers: Headers): OutcomeAndFlow {
  // An answer has one of these headers only if the gateway called the insurer.
  const isSent = headers.has("proxy-status") || headers.has("preference-applied");
  const fromStore = isReplayed(headers) ? flow(word, "the stored answer", "store") : null;
  switch (word) {
    case "not_sent":
      return [
        outcome(word, "The insurer never received this request."),
        flow(word, "not sent", "gateway"),
      ];
    case "rejected":
      return [
        outcome(word, "The insurer refused the request. Nothing was created or changed."),
        fromStore ?? flow(word, "refused"),
      ];
    case "executed":
      return [
        outcome(word, "The insurer acted, and its answer cannot be used."),
        fromStore ?? flow(word, "the answer is unusable"),
      ];
    default:
      if (!isSubmission)
        return [
          outcome(
            word,
            "No usable answer came. The call changes nothing at the insurer: send it again.",
          ),
          flow(word, "the answer is lost", "insurer", false),
        ];
      return isSent
        ? [
            outcome(word, "The request was sent to the insurer, and no usable answer came back."),
            flow(word, "the answer is lost", "insurer", false),
          ]
        : [
            outcome(
              word,
              "This call sent nothing to the insurer. An earlier one with the same content or key may have taken effect.",
            ),
            flow(word, "not sent again", "gateway"),
          ];
  }
}

function readSuccess({ headers, status }: Exchange, isSubmission: boolean): OutcomeAndFlow {
  if (status === null || status >= 400) {
    const says = isSubmission
      ? "No answer of the gateway came. The gateway may have received the request: send it again with the same key."
      : "No answer of the gateway came.";
    return [
      outcome("unknown", says),
      { ...flow("unknown", "not known", "unknown"), answers: status !== null },
    ];
  }
  if (!isSubmission) return [null, null];
  if (isReplayed(headers))
    return [
      outcome(
        "replayed",
        "This is the stored answer to the first request. Nothing was sent to the insurer.",
      ),
      flow("replayed", "the stored answer", "store"),
    ];
  return [
    outcome(
      "accepted",
      status === 202
        ? "The insurer has accepted the submission and is still working on it."
        : "The insurer has acted, and this is its answer.",
    ),
    flow("accepted", "it acted and answered"),
  ];
}

const outcomesByState: Readonly<Record<string, Outcome>> = {
  succeeded: outcome("executed", "The insurer has carried out the submission.", "accepted"),
  failed: outcome(
    "not executed",
    "The insurer has certainly not carried out the submission.",
    "rejected",
  ),
  in_flight: outcome("still running", "The gateway waits for the insurer's answer.", "unknown"),
  outcome_unknown: outcome("still unknown", "The gateway is asking the insurer.", "unknown"),
  needs_review: outcome(
    "still unknown",
    "The gateway could not find out what happened. The operator asks the insurer.",
    "unknown",
  ),
};

const titles: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No content",
};

function titleOf(status: number | null, isState: boolean): string {
  if (isState) return "State of the submission";
  return status === null ? "No answer" : (titles[status] ?? (status < 400 ? "OK" : "Failed"));
}

function isReplayed(headers: Headers): boolean {
  return headers.get("idempotency-replayed") === "true";
}

/** Returns the field of an object; undefined if the value is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns the text of a field; "" if the field is not a text. */
export function textIn(value: unknown, name: string): string {
  const found = fieldOf(value, name);
  return typeof found === "string" ? found : "";
}
