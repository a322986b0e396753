import type { OpenEnum, Schema } from "@insurance-gateway/core/contract";
import { date, decimal, instant, list, loose, openEnum, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import type { Holder } from "./holder.ts";
import type { Vehicle } from "./vehicle.ts";

/** An application as the insurer holds it. Source: `docs/decisions.md`, "Answers". */
export interface Application {
  /**
   * The insurer's identifier of the application.
   * @el Αριθμός αίτησης ασφάλισης
   */
  applicationId: string;
  /**
   * The state of the application. RECEIVED → UNDER_REVIEW, APPROVED, DECLINED; UNDER_REVIEW → APPROVED,
   * DECLINED; APPROVED → AWAITING_PAYMENT → ISSUED; APPROVED, AWAITING_PAYMENT → EXPIRED; any that is not
   * final → CANCELLED. A decline is an answer, not an error.
   * @el Κατάσταση αίτησης
   */
  status: ApplicationStatus;
  /**
   * The reasons for the state; empty if it needs none.
   * @el Αιτιολογία κατάστασης
   */
  statusReasons: StatusReason[];
  /** @el Ασφαλιστήριο */
  policy: ApplicationPolicy;
  /** @el Όχημα */
  vehicle: Vehicle;
  /** @el Λήπτης της ασφάλισης (συμβαλλόμενος) */
  holder: Holder;
  /**
   * The price of the cover, or null until the insurer has priced it.
   * @el Ασφάλιστρο
   */
  premium: Premium | null;
  /**
   * How the premium is paid, or null until there is something to pay.
   * @el Πληρωμή
   */
  payment: Payment | null;
  /**
   * Documents of the application; empty in this version.
   * @el Έγγραφα
   */
  documents: ApplicationDocument[];
  /**
   * The time when the insurer received the application, RFC 3339 in UTC.
   * @el Χρόνος παραλαβής
   */
  createdAt: string;
  /**
   * The time of the last change of the application, RFC 3339 in UTC.
   * @el Τελευταία μεταβολή
   */
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

/** A reason for the status of an application. */
export interface StatusReason {
  /**
   * The reason, for programs; it may be a code of the insurer.
   * @el Κωδικός αιτιολογίας
   */
  code: string;
  /**
   * The reason in words, for a person.
   * @el Περιγραφή
   */
  message: string;
  /**
   * The source of the reason: the insurer or the gateway.
   * @el Προέλευση
   */
  source: OpenEnum<(typeof reasonSources)[number]>;
}

const reasonSources = ["INSURER", "GATEWAY"] as const;

/** The days of cover, and the number of the policy after it is issued. */
export interface ApplicationPolicy {
  /**
   * First day of cover, `YYYY-MM-DD`.
   * @el Ημερομηνία έναρξης
   */
  startDate: string;
  /**
   * Last day of cover, `YYYY-MM-DD`.
   * @el Ημερομηνία λήξης
   */
  endDate: string;
  /**
   * The policy's number if the status is ISSUED; otherwise null, because cover starts when the premium is paid (Law
   * 4261/2014).
   * @el Αριθμός ασφαλιστηρίου
   */
  policyNumber: string | null;
}

/** The cost of the cover. */
export interface Premium {
  /**
   * Before taxes, a decimal string with two places.
   * @el Καθαρά ασφάλιστρα
   */
  net: string;
  /**
   * Taxes and contributions, a decimal string with two places.
   * @el Φόροι και εισφορές
   */
  taxes: string;
  /**
   * The price with taxes, a decimal string with two places.
   * @el Μικτά ασφάλιστρα
   */
  gross: string;
  /**
   * ISO 4217: "EUR".
   * @el Νόμισμα
   */
  currency: string;
}

/** How the premium is paid. */
export interface Payment {
  /**
   * The code with which the customer pays.
   * @el Κωδικός πληρωμής
   */
  code: string;
  /**
   * The last day to pay, `YYYY-MM-DD`.
   * @el Προθεσμία πληρωμής
   */
  dueDate: string;
}

/** A document of the application. */
export interface ApplicationDocument {
  /**
   * The kind of the document.
   * @el Είδος εγγράφου
   */
  type: string;
}

/** The holder in an answer. Unlike in a request, undeclared fields are accepted. */
const echoedHolder: Schema<Holder> = loose<Holder>({ afm: z.string(), fullName: z.string() });

/** The vehicle in an answer. Unlike in a request, undeclared fields are accepted. */
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
