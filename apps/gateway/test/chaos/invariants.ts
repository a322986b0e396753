import type { SubmissionRecord } from "../../src/store/record.ts";
import type { Deployment } from "./deployment.ts";
import { isWithoutKey, type Ledger } from "./ledger.ts";

/** The compared sources: the insurer's log, the store, and the answers to callers. */
interface Evidence {
  /** The running time of the store: time that passes only while gateways run. */
  readonly running: number;
  readonly records: readonly SubmissionRecord[];
  /** The customer (tax number) of each submission that has arrived, by the submission's id. */
  readonly afmOf: ReadonlyMap<string, string>;
  readonly carriedOut: (afm: string) => readonly string[];
  readonly hasRefused: (afm: string) => boolean;
}

/** Longest delay of the scheduled tasks, in milliseconds. The tasks run each second, but later on a busy machine. */
const TASKS_MS = 10_000;

/** Compares the insurer's log, the store and the answers. Returns a line for each contradiction; none is expected. */
export async function faultsOf(deployment: Deployment, ledger: Ledger): Promise<readonly string[]> {
  const { insurer } = deployment;
  const records = await deployment.records();
  // The log is read after the store, so that every submission that was sent by then has arrived.
  const arrivals = insurer.arrivals();
  const evidence: Evidence = {
    running: await deployment.place.running(deployment.dataFolder),
    records,
    afmOf: new Map(arrivals.map(({ afm, submissionId }) => [submissionId ?? "", afm])),
    carriedOut: (afm) => insurer.carriedOut(afm),
    hasRefused: (afm) => insurer.hasRefused(afm),
  };
  return [
    ...ledger.faults,
    ...carriedOutTwice(new Set(arrivals.map(({ afm }) => afm)), evidence),
    ...sentTwice(arrivals.map(({ afm }) => afm).filter((afm) => ledger.ofOneKey.has(afm))),
    ...sentTwice(arrivals.map(({ submissionId }) => submissionId ?? "without an id")),
    ...heldTooLong(evidence),
    ...wronglyFailed(evidence),
    ...wronglySucceeded(evidence),
    ...wronglyTold(ledger, evidence),
  ];
}

/** Returns the customers for whom the insurer executed more than one application. */
function carriedOutTwice(afms: ReadonlySet<string>, { carriedOut }: Evidence): readonly string[] {
  return [...afms].flatMap((afm) => {
    const insurerIds = carriedOut(afm);
    return insurerIds.length > 1 ? [`${afm}: carried out as ${insurerIds.join()}`] : [];
  });
}

/** Returns the names (keys or submission ids) that arrived more than once. */
function sentTwice(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.flatMap((name) => {
    if (seen.has(name)) return [`${name}: arrived more than once`];
    seen.add(name);
    return [];
  });
}

/** Returns the submissions that are still in flight long after the end of their lease. */
function heldTooLong({ records, running }: Evidence): readonly string[] {
  return records.flatMap(({ id, leaseUntil, state }) =>
    state === "in_flight" && leaseUntil + TASKS_MS < running
      ? [`${id}: in flight ${running - leaseUntil} ms past its lease`]
      : [],
  );
}

/** Returns the failed submissions that the insurer executed, or whose absence two queries did not prove. */
function wronglyFailed({ afmOf, carriedOut, hasRefused, records }: Evidence): readonly string[] {
  return records
    .filter(({ state }) => state === "failed")
    .flatMap(({ absentRunning, id, unknownAt }) => {
      const references = carriedOut(afmOf.get(id) ?? "");
      if (references.length > 0) return [`${id}: failed, and ${references.join()} was carried out`];
      if (unknownAt === null)
        return afmOf.has(id) ? [] : [`${id}: failed, and the insurer never had it to refuse`];
      // The refusal may have arrived after the lease, because another gateway with a wrong clock may have ended the
      // lease early.
      if (hasRefused(afmOf.get(id) ?? "")) return [];
      return absentRunning === null ? [`${id}: failed, and only one query did not find it`] : [];
    });
}

/** Returns the succeeded submissions that the insurer does not know, or that have another submission's identifier. */
function wronglySucceeded({ afmOf, carriedOut, records }: Evidence): readonly string[] {
  return records.flatMap(({ id, insurerId, state }) =>
    state !== "succeeded" || carriedOut(afmOf.get(id) ?? "").includes(insurerId ?? "")
      ? []
      : [`${id}: succeeded as ${insurerId}, which the insurer did not carry out for it`],
  );
}

/** Returns the answers to callers that contradict what the insurer did. */
function wronglyTold(ledger: Ledger, { carriedOut }: Evidence): readonly string[] {
  return ledger.acknowledged().flatMap(({ answer, application }) => {
    // Without a key, an application that failed may have been sent again.
    if (answer.status !== 201 && isWithoutKey(application)) return [];
    const [insurerId] = carriedOut(application.afm);
    const told: { applicationId?: string } = JSON.parse(answer.text);
    const right = answer.status === 201 ? told.applicationId === insurerId : !insurerId;
    return right && (answer.status !== 201 || insurerId !== undefined)
      ? []
      : [`${application.key}: was told ${answer.status}, and ${insurerId} was carried out`];
  });
}
