import type { SubmissionRecord } from "../../src/store/record.ts";
import type { Deployment } from "./deployment.ts";
import { isWithoutKey, type Ledger } from "./ledger.ts";

/** The compared sources: the insurer's log, the store and the callers' answers. */
interface Evidence {
  /** The running time of the store. */
  readonly running: number;
  readonly records: readonly SubmissionRecord[];
  /** The customer of each submission that has arrived. */
  readonly afmOf: ReadonlyMap<string, string>;
  readonly carriedOut: (afm: string) => readonly string[];
  readonly hasRefused: (afm: string) => boolean;
}

/** The scheduled tasks of submissions are done each second; on a busy machine, or while the process is being started, later. */
const TASKS_MS = 10_000;

/** Compares everything there is; every fault is a line. Nothing is, when the gateway keeps its word. */
export async function faultsOf(deployment: Deployment, ledger: Ledger): Promise<readonly string[]> {
  const { insurer } = deployment;
  const records = await deployment.records();
  // After the store was read: whatever it knows of has arrived by then.
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

/** Per application, at most one is carried out. */
function carriedOutTwice(afms: ReadonlySet<string>, { carriedOut }: Evidence): readonly string[] {
  return [...afms].flatMap((afm) => {
    const insurerIds = carriedOut(afm);
    return insurerIds.length > 1 ? [`${afm}: carried out as ${insurerIds.join()}`] : [];
  });
}

/** Per key, and per submission, at most one arrival. */
function sentTwice(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.flatMap((name) => {
    if (seen.has(name)) return [`${name}: arrived more than once`];
    seen.add(name);
    return [];
  });
}

/** Nothing is in flight past its lease. */
function heldTooLong({ records, running }: Evidence): readonly string[] {
  return records.flatMap(({ id, leaseUntil, state }) =>
    state === "in_flight" && leaseUntil + TASKS_MS < running
      ? [`${id}: in flight ${running - leaseUntil} ms past its lease`]
      : [],
  );
}

/** No unknown is shown as failed: neither one that was carried out, nor any that was not missed twice. */
function wronglyFailed({ afmOf, carriedOut, hasRefused, records }: Evidence): readonly string[] {
  return records
    .filter(({ state }) => state === "failed")
    .flatMap(({ absentRunning, id, unknownAt }) => {
      const references = carriedOut(afmOf.get(id) ?? "");
      if (references.length > 0) return [`${id}: failed, and ${references.join()} was carried out`];
      if (unknownAt === null)
        return afmOf.has(id) ? [] : [`${id}: failed, and the insurer never had it to refuse`];
      // The refusal itself came after the lease, which another gateway's clock may have ended early.
      if (hasRefused(afmOf.get(id) ?? "")) return [];
      return absentRunning === null ? [`${id}: failed, and only one query did not find it`] : [];
    });
}

/** No success that the insurer does not know of, and none under another's identifier. */
function wronglySucceeded({ afmOf, carriedOut, records }: Evidence): readonly string[] {
  return records.flatMap(({ id, insurerId, state }) =>
    state !== "succeeded" || carriedOut(afmOf.get(id) ?? "").includes(insurerId ?? "")
      ? []
      : [`${id}: succeeded as ${insurerId}, which the insurer did not carry out for it`],
  );
}

/** The answers that callers got match what the insurer did. */
function wronglyTold(ledger: Ledger, { carriedOut }: Evidence): readonly string[] {
  return ledger.acknowledged().flatMap(({ answer, application }) => {
    // Without a key, what failed may have been sent again since.
    if (answer.status !== 201 && isWithoutKey(application)) return [];
    const [insurerId] = carriedOut(application.afm);
    const told: { applicationId?: string } = JSON.parse(answer.text);
    const right = answer.status === 201 ? told.applicationId === insurerId : !insurerId;
    return right && (answer.status !== 201 || insurerId !== undefined)
      ? []
      : [`${application.key}: was told ${answer.status}, and ${insurerId} was carried out`];
  });
}
