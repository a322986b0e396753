import type { OpenEnum, Schema } from "@insurance-gateway/core/contract";
import { date, decimal, instant, list, loose, openEnum, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import type { Holder } from "./holder.ts";
import type { Vehicle } from "./vehicle.ts";

/** An application as the insurer holds it. Source: `docs/decisions.md`, "Answers". */
export interface Application {
  /** The insurer's identifier of the application. */
  applicationId: string;
  /**
   * Where the application stands. RECEIVED → UNDER_REVIEW, APPROVED, DECLINED; UNDER_REVIEW → APPROVED,
   * DECLINED; APPROVED → AWAITING_PAYMENT → ISSUED; APPROVED, AWAITING_PAYMENT → EXPIRED; any that is not
   * final → CANCELLED. A decline is an answer, not an error.
   */
  status: ApplicationStatus;
  /** Why it stands there; empty when nothing needs saying. */
  statusReasons: StatusReason[];
  policy: ApplicationPolicy;
  vehicle: Vehicle;
  holder: Holder;
  /** What the cover costs, or null until the insurer has priced it. */
  premium: Premium | null;
  /** How the premium is paid, or null until there is something to pay. */
  payment: Payment | null;
  /** Documents of the application; empty in this version. */
  documents: ApplicationDocument[];
  /** When the insurer received it, RFC 3339 in UTC. */
  createdAt: string;
  /** When it last changed, RFC 3339 in UTC. */
  updatedAt: string;
}

/** The states of an application; the list may grow. */
export type ApplicationStatus = OpenEnum<(typeof statuses)[number]>;

const statuses = [
  "RECEIVED",
  "UNDER_REVIEW",
  "APPROVED",
  "DECLINED",
  "AWAITING_PAYMENT",
  "ISSUED",
  "EXPIRED",
  "CANCELLED",
] as const;

/** Why an application has its status. */
export interface StatusReason {
  /** The reason, for programs; the insurer's own codes may stand here. */
  code: string;
  /** The reason in words, for a person. */
  message: string;
  /** Who says so. */
  source: OpenEnum<(typeof reasonSources)[number]>;
}

const reasonSources = ["INSURER", "GATEWAY"] as const;

/** The days of cover, and the policy once there is one. */
export interface ApplicationPolicy {
  /** First day of cover, `YYYY-MM-DD`. */
  startDate: string;
  /** Last day of cover, `YYYY-MM-DD`. */
  endDate: string;
  /** The policy's number once the status is ISSUED, else null: cover starts when the premium is paid (Law 4261/2014). */
  policyNumber: string | null;
}

/** The cost of the cover. */
export interface Premium {
  /** Before taxes, a decimal string with two places. */
  net: string;
  /** Taxes and contributions, a decimal string with two places. */
  taxes: string;
  /** What is paid, a decimal string with two places. */
  gross: string;
  /** ISO 4217: "EUR". */
  currency: string;
}

/** How the premium is paid. */
export interface Payment {
  /** The code the customer pays with. */
  code: string;
  /** The last day to pay, `YYYY-MM-DD`. */
  dueDate: string;
}

/** A document of the application. */
export interface ApplicationDocument {
  /** What the document is. */
  type: string;
}

/** The holder as the answer repeats it; unlike a request's, further fields pass through. */
const echoedHolder: Schema<Holder> = loose<Holder>({ afm: z.string(), fullName: z.string() });

/** The vehicle as the answer repeats it; unlike a request's, further fields pass through. */
const echoedVehicle: Schema<Vehicle> = loose<Vehicle>({
  plateNumber: z.string(),
  manufacturerCode: z.string(),
  modelCode: z.string(),
});

const statusReason: Schema<StatusReason> = loose<StatusReason>({
  code: z.string(),
  message: z.string(),
  source: openEnum(...reasonSources),
});

const applicationPolicy: Schema<ApplicationPolicy> = loose<ApplicationPolicy>({
  startDate: date(),
  endDate: date(),
  policyNumber: z.nullable(z.string()),
});

const premium: Schema<Premium> = loose<Premium>({
  net: decimal(),
  taxes: decimal(),
  gross: decimal(),
  currency: z.string(),
});

const payment: Schema<Payment> = loose<Payment>({ code: z.string(), dueDate: date() });

const applicationDocument: Schema<ApplicationDocument> = loose<ApplicationDocument>({
  type: z.string(),
});

export const application: Schema<Application> = loose<Application>({
  applicationId: z.string().check(z.minLength(1)),
  status: openEnum(...statuses),
  statusReasons: list(zod(statusReason)),
  policy: zod(applicationPolicy),
  vehicle: zod(echoedVehicle),
  holder: zod(echoedHolder),
  premium: z.nullable(zod(premium)),
  payment: z.nullable(zod(payment)),
  documents: list(zod(applicationDocument)),
  createdAt: instant(),
  updatedAt: instant(),
});
