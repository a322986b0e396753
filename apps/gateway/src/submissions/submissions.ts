import { kindPolicies } from "@insurance-gateway/core/contract";
import type { Caller } from "../authentication/caller.ts";
import type { Logger } from "../logging/logger.ts";
import type { Route } from "../routing/route.ts";
import { StoreUnavailableError, type SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Encryption } from "./encryption.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createIdentify } from "./identity.ts";
import { createReconcile, type FindEndpoint } from "./reconcile.ts";
import { createRecorder } from "./recorder.ts";
import { createTellStatus, type SubmissionStatus } from "./status.ts";
import { storeUnavailable } from "./store-unavailable.ts";
import { createSubmit, type Submit } from "./submit.ts";
import type { Retention } from "./timing.ts";

/** Everything the gateway does about submissions. */
export interface Submissions {
  readonly submit: Submit;
  /** The state of a submission, for its own caller. */
  status(caller: Caller, id: string): Promise<SubmissionStatus>;
  /** How many of each provider's segment have an outcome that nobody knows; throws StoreUnavailableError. */
  countUnknown(): Promise<ReadonlyMap<string, number>>;
  /** Finishes what is under way, also what its caller has left, and closes the store. */
  stop(): Promise<void>;
}

/** What they need. */
export interface SubmissionsParts {
  readonly store: SubmissionStore;
  /** The secret that digests are made with. */
  readonly secret: Uint8Array;
  readonly encryption: Encryption;
  readonly retention: Retention;
  readonly basePath: string;
  readonly findEndpoint: FindEndpoint;
  /** The segments of the providers that have submissions. */
  readonly segments: readonly string[];
  readonly time: Time;
  readonly logger: Logger;
}

/** Starts them; what an earlier process left is settled from now on. */
export function startSubmissions(parts: SubmissionsParts): Submissions {
  const { findEndpoint, logger, secret, store } = parts;
  const identify = createIdentify(secret);
  const recorder = createRecorder(store, logger);
  const stopping = new AbortController();
  const housekeeping = { ...parts, recorder, stopping: stopping.signal };
  const reconcile = createReconcile(housekeeping, findEndpoint);
  const stopHousekeeping = startHousekeeping({ ...housekeeping, reconcile });
  const tellStatus = createTellStatus({ ...parts, identify });
  const submit = createSubmit({ ...parts, identify, recorder });
  const underway = new Set<Promise<unknown>>();

  return {
    submit(route, call) {
      const submission = submit(route, call);
      underway.add(submission);
      return submission.finally(() => underway.delete(submission));
    },
    status: (caller, id) => tellStatus(caller, id).catch(refuseUnavailable),
    async countUnknown() {
      const counts = await store.countUnknown();
      return new Map(counts.map(({ count, segment }) => [segment, count]));
    },
    async stop() {
      await Promise.allSettled(underway);
      stopping.abort();
      await stopHousekeeping();
      await recorder.retry().catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) throw error;
      });
      await store.close();
    },
  };
}

function refuseUnavailable(error: unknown): never {
  throw error instanceof StoreUnavailableError ? storeUnavailable() : error;
}

/** Finds endpoints among the routes of the gateway. */
export function endpointFinder(routes: readonly Route[]): FindEndpoint {
  const byName = new Map(
    routes.flatMap((route) =>
      "endpoint" in route ? [[`${route.segment} ${route.name}`, route] as const] : [],
    ),
  );
  return (segment, endpoint) => byName.get(`${segment} ${endpoint}`);
}

/** The segments of the routes that are submissions. */
export function submissionSegments(routes: readonly Route[]): readonly string[] {
  const segments = routes.flatMap((route) =>
    "endpoint" in route && kindPolicies[route.endpoint.kind].actsAtInsurer ? [route.segment] : [],
  );
  return [...new Set(segments)];
}
