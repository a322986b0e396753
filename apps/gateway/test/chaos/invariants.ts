import type { SubmissionRecord } from "../../src/store/record.ts";
import type { Deployment } from "./deployment.ts";
import { isWithoutKey, type Ledger } from "./ledger.ts";

/** The compared sources: the insurer's log, the store, and the answers to callers. */
interface Evidence {
  /** The running time of the store: time that passes only while gateways run. */
  readonly running: number;
  readonly records: readonly SubmissionRecord[];
  /** The customer of each submission that has arrived. */
  readonly afmOf: ReadonlyMap<string, string>;
  readonly carriedOut: (afm: string) => readonly string[];
  readonly hasRefused: (afm: string) => boolean;
}

/** The longest delay of the scheduled tasks, which usually run every second, on a busy machine or during a start. */
const TASKS_MS = 10_000;

/** Compares the sources. Returns one line for each fault. */
export async function faultsOf(deployment: Deployment, ledger: Ledger): Promise<readonly string[]> {
  const { insurer } = deployment;
  const records = await deployment.records();
  // The log is read after the store, so that every stored submission that was sent has arrived.
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

/** Finds applications that the insurer executed more than once. */
function carriedOutTwice(afms: ReadonlySet<string>, { carriedOut }: Evidence): readonly string[] {
  return [...afms].flatMap((afm) => {
    const insurerIds = carriedOut(afm);
    return insurerIds.length > 1 ? [`${afm}: carried out as ${insurerIds.join()}`] : [];
  });
}

/** Finds keys or submissions that arrived more than once. */
function sentTwice(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.flatMap((name) => {
    if (seen.has(name)) return [`${name}: arrived more than once`];
    seen.add(name);
    return [];
  });
}

/** Finds submissions that are in flight after the end of their lease. */
function heldTooLong({ records, running }: Evidence): readonly string[] {
  return records.flatMap(({ id, leaseUntil, state }) =>
    state === "in_flight" && leaseUntil + TASKS_MS < running
      ? [`${id}: in flight ${running - leaseUntil} ms past its lease`]
      : [],
  );
}

/** Finds submissions that are `failed` although they were executed, or without two queries that missed them. */
function wronglyFailed({ afmOf, carriedOut, hasRefused, records }: Evidence): readonly string[] {
  return records
    .filter(({ state }) => state === "failed")
    .flatMap(({ absentRunning, id, unknownAt }) => {
      const references = carriedOut(afmOf.get(id) ?? "");
      if (references.length > 0) return [`${id}: failed, and ${references.join()} was carried out`];
      if (unknownAt === null)
        return afmOf.has(id) ? [] : [`${id}: failed, and the insurer never had it to refuse`];
      // The insurer's refusal came after the end of the lease, which another gateway's clock may have ended early.
      if (hasRefused(afmOf.get(id) ?? "")) return [];
      return absentRunning === null ? [`${id}: failed, and only one query did not find it`] : [];
    });
}

/** Finds submissions that are `succeeded` with an identifier that the insurer did not create for them. */
function wronglySucceeded({ afmOf, carriedOut, records }: Evidence): readonly string[] {
  return records.flatMap(({ id, insurerId, state }) =>
    state !== "succeeded" || carriedOut(afmOf.get(id) ?? "").includes(insurerId ?? "")
      ? []
      : [`${id}: succeeded as ${insurerId}, which the insurer did not carry out for it`],
  );
}

/** Finds answers to callers that contradict the insurer. */
function wronglyTold(ledger: Ledger, { carriedOut }: Evidence): readonly string[] {
  return ledger.acknowledged().flatMap(({ answer, application }) => {
    // A failed application without a key may have been sent again since.
    if (answer.status !== 201 && isWithoutKey(application)) return [];
    const [insurerId] = carriedOut(application.afm);
    const told: { applicationId?: string } = JSON.parse(answer.text);
    const right = answer.status === 201 ? told.applicationId === insurerId : !insurerId;
    return right && (answer.status !== 201 || insurerId !== undefined)
      ? []
      : [`${application.key}: was told ${answer.status}, and ${insurerId} was carried out`];
  });
}
