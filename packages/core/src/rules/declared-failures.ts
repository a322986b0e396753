import type { FailureRow } from "../contract/failures.ts";
import type { Fault } from "../contract/faults.ts";

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";
const DECLARED_REASON = "The declared contract documents this code for it.";

function problemRow(
  status: number,
  is: string,
  row: Omit<FailureRow, "status" | "why">,
): FailureRow {
  return { status, media: PROBLEM_TYPE, at: "/code", is: [is], why: DECLARED_REASON, ...row };
}

/** The error answers of the declared contract: problem+json (RFC 9457) with a code. */
export const declaredFailures: readonly FailureRow[] = [
  ...[400, 422].flatMap((status) => [
    problemRow(status, "VALIDATION_FAILED", {
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      text: "The insurer found the request invalid; correct it and send it again.",
    }),
    problemRow(status, "PROVIDER_REJECTED", { code: "PROVIDER_REJECTED", outcome: "rejected" }),
  ]),
  problemRow(400, "INVALID_REQUEST", {
    code: "PROVIDER_REJECTED",
    outcome: "rejected",
    text: "The insurer did not understand the request.",
  }),
  problemRow(422, "BROKER_LIMIT_EXCEEDED", { code: "BROKER_LIMIT_EXCEEDED", outcome: "rejected" }),
  problemRow(409, "DUPLICATE_APPLICATION", { code: "DUPLICATE_APPLICATION", outcome: "rejected" }),
  problemRow(404, "APPLICATION_NOT_FOUND", { code: "APPLICATION_NOT_FOUND", outcome: "rejected" }),
  problemRow(409, "DOCUMENT_NOT_READY", { code: "DOCUMENT_NOT_READY", outcome: "rejected" }),
  problemRow(401, "UNAUTHENTICATED", { code: "PROVIDER_AUTH_FAILED", outcome: "rejected" }),
  problemRow(403, "FORBIDDEN", { code: "PROVIDER_AUTH_FAILED", outcome: "rejected" }),
  problemRow(429, "RATE_LIMITED", {
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
    text: "The insurer accepts no more calls for now; try again later.",
  }),
  problemRow(503, "PROVIDER_UNAVAILABLE", {
    code: "PROVIDER_UNAVAILABLE",
    outcome: "rejected",
  }),
];

/** Reads the faults of an insurer's problem, without the insurer's messages, which may quote the customer. */
export function declaredFaults(content: unknown): readonly Fault[] {
  const { errors }: { errors?: unknown } = { ...asObject(content) };
  return Array.isArray(errors) ? errors.flatMap(faultIn) : [];
}

/** Copies the JSON Pointer of an insurer's fault, without the insurer's message. */
function faultIn(value: unknown): readonly Fault[] {
  const { pointer }: { pointer?: unknown } = { ...asObject(value) };
  if (typeof pointer !== "string" || !/^(\/[A-Za-z][A-Za-z_]{0,63}|\/\d{1,3}){1,8}$/.test(pointer))
    return [];
  return [{ pointer, code: "INVALID", message: "was refused by the insurer" }];
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
