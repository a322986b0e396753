import type { SandboxAnswer } from "@insurance-gateway/adapter/sandbox";
import type { Application } from "../schemas/application.ts";
import type { MotorApplication } from "../schemas/motor-application.ts";

/** An application in the simulated insurer's store. */
export interface KeptApplication {
  readonly id: string;
  readonly application: Application;
  /** The client's reference for the submission, if any. */
  readonly reference?: string;
}

/** Creates the application for a request. */
export function receive(request: MotorApplication, position: number, now: Date): Application {
  const instant = now.toISOString();
  return {
    applicationId: `D-${String(position).padStart(6, "0")}`,
    status: "RECEIVED",
    statusReasons: [],
    policy: { ...request.policy, policyNumber: null },
    vehicle: request.vehicle,
    holder: request.holder,
    premium: null,
    payment: null,
    documents: [],
    createdAt: instant,
    updatedAt: instant,
  };
}

const MINUTE_MS = 60_000;

/** The usual progress of an application, with the time since its receipt. */
const usualProgress: readonly (readonly [status: string, afterMs: number])[] = [
  ["UNDER_REVIEW", 15 * MINUTE_MS],
  ["APPROVED", 2 * 60 * MINUTE_MS],
  ["AWAITING_PAYMENT", 3 * 60 * MINUTE_MS],
  ["ISSUED", 24 * 60 * MINUTE_MS],
];

/** Returns an application as it is at an instant. An application without a scenario progresses with the clock. */
export function progressAt(application: Application, now: Date): Application {
  if (application.status !== "RECEIVED") return application;
  const createdAt = Date.parse(application.createdAt);
  const [status, afterMs] =
    usualProgress.findLast(([, after]) => now.getTime() - createdAt >= after) ?? [];
  if (status === undefined || afterMs === undefined) return application;
  const updatedAt = new Date(createdAt + afterMs).toISOString();
  const moved = { ...application, status, updatedAt };
  if (status === "UNDER_REVIEW") return moved;
  const priced = { ...moved, premium: premium };
  if (status === "AWAITING_PAYMENT") return { ...priced, payment: paymentOf(application) };
  return status === "ISSUED" ? { ...priced, policy: issuedPolicy(application) } : priced;
}

/** The premium of every application. */
const premium: Application["premium"] = {
  net: "212.40",
  taxes: "37.60",
  gross: "250.00",
  currency: "EUR",
};

function paymentOf({ applicationId, policy }: Application): Application["payment"] {
  return { code: `RF18${applicationId}`, dueDate: policy.startDate };
}

function issuedPolicy({ applicationId, policy }: Application): Application["policy"] {
  return { ...policy, policyNumber: `P-${applicationId}` };
}

type Decision = SandboxAnswer<Application, KeptApplication>;

/** Returns the answer and the stored record of the insurer, by default or in a scenario. */
export function answerFor(scenario: string | null, application: Application): Decision {
  switch (scenario) {
    case "AWAITING_PAYMENT":
      return createdAnswer({
        ...application,
        status: "AWAITING_PAYMENT",
        premium,
        payment: paymentOf(application),
      });
    case "UNDER_REVIEW":
      return createdAnswer(
        withReason(application, "UNDER_REVIEW", "REGISTRATION_CERTIFICATE_MISSING"),
      );
    case "DECLINED":
      return createdAnswer(withReason(application, "DECLINED", "UNDERWRITING"));
    case "ISSUED":
      return createdAnswer({
        ...application,
        status: "ISSUED",
        policy: issuedPolicy(application),
        premium,
      });
    case "LOST_ANSWER":
      return { status: 201, silence: true, keep: [toRecord(application)] };
    case "UNREADABLE_ANSWER":
      return {
        status: 200,
        mediaType: "text/html",
        text: "<h1>OK</h1>",
        keep: [toRecord(application)],
      };
    case "SLOW":
      return { ...createdAnswer(application), delayMs: 5000 };
    default:
      return refusals[scenario ?? ""] ?? createdAnswer(application);
  }
}

const refusals: Readonly<Record<string, Decision>> = {
  REJECTED: {
    status: 422,
    problem: {
      code: "PROVIDER_REJECTED",
      detail: "The insurer does not know the model.",
      errors: [
        { pointer: "/vehicle/modelCode", code: "VALUE", message: "is not known to the insurer" },
      ],
    },
  },
  BROKER_LIMIT: {
    status: 422,
    problem: {
      code: "BROKER_LIMIT_EXCEEDED",
      detail: "The broker's credit limit with the insurer is used up.",
    },
  },
  UNAVAILABLE: {
    status: 503,
    headers: { "retry-after": "5" },
    problem: { code: "PROVIDER_UNAVAILABLE", detail: "The insurer is closed for maintenance." },
  },
  BUSY: {
    status: 429,
    headers: { "retry-after": "2" },
    problem: { code: "RATE_LIMITED", detail: "The insurer takes no more calls for now." },
  },
};

function createdAnswer(application: Application): Decision {
  return { status: 201, body: application, keep: [toRecord(application)] };
}

function toRecord(application: Application): KeptApplication {
  return { id: application.applicationId, application };
}

function withReason(application: Application, status: string, code: string): Application {
  const message =
    status === "DECLINED"
      ? "The insurer does not cover this vehicle."
      : "The insurer needs the registration certificate.";
  return { ...application, status, statusReasons: [{ code, message, source: "INSURER" }] };
}
