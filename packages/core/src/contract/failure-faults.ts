import { advicesOf } from "../problems/outcomes.ts";
import { isMediaType } from "./endpoint-faults.ts";
import {
  DIGIT,
  type FailureRow,
  failureCodes,
  isHtml,
  isProxysCode,
  notInFamily,
} from "./failures.ts";
import { isPointer } from "./pointer.ts";

/**
 * Finds faults in the rows that interpret an insurer's error answers. A wrong row could report a submission as failed
 * although it was carried out, or the reverse.
 * @param acting - contains true if the rows apply to submissions, and false if they apply to other calls
 */
export function failureFaults(
  rows: readonly FailureRow[],
  acting: readonly boolean[],
): readonly string[] {
  return rows.flatMap((row, index) =>
    [...matchFaults(row), ...proofFaults(row, acting), ...meaningFaults(row, acting)].map(
      (fault) => `\`failures\` row ${index + 1}: ${fault}`,
    ),
  );
}

function statusesOf({ status }: FailureRow): readonly (number | "4xx")[] {
  return typeof status === "object" ? status : [status];
}

function matchFaults(row: FailureRow): readonly string[] {
  const { at, is, media, status } = row;
  const statuses = statusesOf(row);
  const isKnown = statuses.length > 0 && statuses.every((one) => one === "4xx" || isStatus(one));
  return [
    ...(isKnown ? [] : ['`status` must be a status from 200 to 599, several of them, or "4xx"']),
    ...(status === "4xx" && media === undefined && at === undefined
      ? ["a family of statuses needs the insurer's own error format: `media` or `at`"]
      : []),
    ...(media === undefined || isMediaType(media)
      ? []
      : [`\`media\` ${media} must be a media type in lower case, without parameters`]),
    ...(media !== undefined && isHtml(media)
      ? ["`media` must not be HTML, because a page proves nothing"]
      : []),
    ...(at === undefined || isPointer(at) ? [] : [`\`at\` ${at} must be a JSON Pointer`]),
    ...(is === undefined || (at !== undefined && is.length > 0)
      ? []
      : ["`is` needs codes, and `at` with the place of the code in the answer"]),
  ];
}

/** Statuses with which an insurer refuses the gateway's credentials. A proxy before the insurer can send them, too. */
const REFUSED_CREDENTIALS: readonly number[] = [401, 403];

/**
 * Finds rows that do not prove that the insurer itself answered. Proxies, firewalls and load balancers answer, too,
 * even after the insurer acted. For a submission, only the insurer's own error code is a proof.
 */
function proofFaults(row: FailureRow, acting: readonly boolean[]): readonly string[] {
  const { afterActing = false, at, is, media, outcome } = row;
  const proves = acting.includes(true) && outcome !== "unknown";
  const ofProxies = statusesOf(row).filter((one) =>
    one === "4xx"
      ? proves && (media !== undefined || at !== undefined)
      : isSentByProxies(one, proves),
  );
  const isProved = media !== undefined && at !== undefined && is !== undefined;
  return [
    ...(proves && ofProxies.includes(407)
      ? ["a row must not match 407: a proxy's answer proves nothing about a submission"]
      : []),
    ...(ofProxies.length > 0 && !isProved ? [unprovenFault(ofProxies)] : []),
    ...(proves && is !== undefined && (afterActing || (isProved && ofProxies.length > 0))
      ? codeFaults(is, ofProxies.includes("4xx"), media)
      : []),
    ...(afterActing && is === undefined
      ? ["`afterActing` needs `is`: the code that says whether the submission was carried out"]
      : []),
  ];
}

function isSentByProxies(status: number, proves: boolean): boolean {
  if (!proves) return REFUSED_CREDENTIALS.includes(status);
  return (status >= 300 && status <= 399) || status >= 500 || notInFamily.includes(status);
}

function unprovenFault(statuses: readonly (number | "4xx")[]): string {
  const named = statuses.map((one) => (one === "4xx" ? "a family of statuses" : one)).join(", ");
  return `${named} needs \`media\`, \`at\` and \`is\`, because a proxy may send this status, too; list the insurer's own codes: \`is: ["MTR-1042"]\`, or \`["MTR-####"]\` with ${DIGIT} for any digit`;
}

function codeFaults(
  codes: readonly string[],
  isFamily: boolean,
  media: string | undefined,
): readonly string[] {
  const foreign = codes.filter(
    (code) => isProxysCode(code, media) || (isFamily && !/[\d#]/.test(code)),
  );
  return foreign.length === 0
    ? []
    : [
        `\`is\` has ${foreign.join(", ")}: proxies write numbers up to 16, numbers from 100 to 599, the codes of gRPC and SOAP and plain words, too; list other numbers one by one, and give the insurer's own word a row with its own status`,
      ];
}

function meaningFaults(
  { code, outcome, why }: FailureRow,
  acting: readonly boolean[],
): readonly string[] {
  if (!failureCodes.includes(code))
    return [`the code ${code} must be one of the codes for insurers' error answers`];
  // If a submission may have been carried out, the gateway uses its own code instead of the code of the row.
  const isSaid = (acts: boolean): boolean =>
    (acts && outcome === "unknown") || advicesOf(code, acts).some((one) => one.outcome === outcome);
  return [
    ...acting
      .filter((acts) => !isSaid(acts))
      .map(
        (acts) =>
          `the code ${code} must not have the outcome ${outcome} for a call that ${acts ? "acts" : "does not act"} at the insurer`,
      ),
    ...(typeof why === "string" && why.trim() !== "" ? [] : ["`why` must state a reason"]),
  ];
}

function isStatus(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 200 && value <= 599;
}
