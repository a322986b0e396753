import { advicesOf } from "../problems/outcomes.ts";
import { isMediaType } from "./endpoint-faults.ts";
import { type FailureRow, failureCodes, isHtml, notInFamily } from "./failures.ts";
import { isPointer } from "./pointer.ts";

/**
 * Finds faults in the rows that interpret an insurer's error answers. A wrong row would report something as done that
 * is not done, or the reverse.
 * @param acting - whether the calls to which the rows apply act at the insurer; both values if some do and some do not
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

/** The statuses of an insurer that refuses the gateway itself; a proxy before it answers with them, too. */
const REFUSED_CREDENTIALS = [401, 403];

function matchFaults({ at, is, media, status }: FailureRow): readonly string[] {
  const statuses = typeof status === "object" ? status : [status];
  const isKnown = statuses.length > 0 && statuses.every((one) => one === "4xx" || isStatus(one));
  const isProved = media !== undefined && at !== undefined && is !== undefined;
  return [
    ...(isKnown ? [] : ['`status` must be a status from 200 to 599, several of them, or "4xx"']),
    ...(status === "4xx" && media === undefined && at === undefined
      ? ["a family of statuses needs the insurer's own error format: `media` or `at`"]
      : []),
    ...(REFUSED_CREDENTIALS.some((one) => statuses.includes(one)) && !isProved
      ? [
          "a row for 401 or 403 needs `media`, `at` and `is`: others than the insurer answer so, too",
        ]
      : []),
    ...(media === undefined || isMediaType(media)
      ? []
      : [`\`media\` ${media} must be a media type in lower case, without parameters`]),
    ...(media !== undefined && isHtml(media) ? ["an HTML page proves nothing"] : []),
    ...(at === undefined || isPointer(at) ? [] : [`\`at\` ${at} is no JSON Pointer`]),
    ...(is === undefined || (at !== undefined && is.length > 0)
      ? []
      : ["`is` needs codes, and `at`, which says where they are"]),
  ];
}

/** A proxy can answer with these statuses even after the insurer acted. Only the insurer's own error code proves more. */
function proofFaults(
  { afterActing, at, is, media, outcome, status }: FailureRow,
  acting: readonly boolean[],
): readonly string[] {
  const statuses = typeof status === "object" ? status : [status];
  const isProved = media !== undefined && at !== undefined && is !== undefined;
  const isDoubtful = statuses.some(
    (one) => typeof one === "number" && (one >= 500 || notInFamily.includes(one)),
  );
  return [
    ...(acting.includes(true) && outcome !== "unknown" && isDoubtful && !isProved
      ? ["a row for a 5xx, 408, 409, 425 or 429 needs `media`, `at` and `is` to prove a refusal"]
      : []),
    ...(afterActing === true && is === undefined
      ? ["`afterActing` needs `is`: the code that says whether the submission was carried out"]
      : []),
  ];
}

function meaningFaults(
  { code, outcome, why }: FailureRow,
  acting: readonly boolean[],
): readonly string[] {
  if (!failureCodes.includes(code)) return [`the code ${code} is not one of a refusal`];
  // If a submission may have been carried out, the gateway uses its own code instead of the row's.
  const isSaid = (acts: boolean): boolean =>
    (acts && outcome === "unknown") || advicesOf(code, acts).some((one) => one.outcome === outcome);
  return [
    ...acting
      .filter((acts) => !isSaid(acts))
      .map(
        (acts) =>
          `${code} never means ${outcome} of a call that ${acts ? "acts" : "does not act"} at the insurer`,
      ),
    ...(typeof why === "string" && why.trim() !== "" ? [] : ["it needs a reason: `why`"]),
  ];
}

function isStatus(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 200 && value <= 599;
}
