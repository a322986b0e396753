import { join } from "node:path";
import type { SandboxCredential } from "@insurance-gateway/adapter/sandbox";
import { type AttachedSandbox, attachSandbox } from "@insurance-gateway/sandbox/attach";
import type { InsurerCredential } from "../configuration/insurer-credentials.ts";
import type { Configuration } from "../configuration/load.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { Settings } from "../configuration/settings.ts";
import type { ProviderTraffic } from "../events.ts";
import type { Time } from "../time.ts";
import { createRecording, type Recording } from "./drift/recording.ts";
import { startDriftWatch } from "./drift/watch.ts";
import { type AnswerBudget, createAnswerBudget } from "./exchange/answer-budget.ts";
import { createInsurer, type InsurerParts, type Upstream } from "./insurer.ts";
import type { InsurerAccess } from "./insurer-access.ts";
import type { MaintenancePlan } from "./resilience/maintenance.ts";

/** All insurers of a gateway, which stay the same objects when the settings change. */
export interface Insurers {
  /** The scenarios of the sandbox; null if no insurer is simulated. */
  readonly scenarios: AttachedSandbox["scenarios"] | null;
  /** Applies new settings of the same providers to the calls that begin from now on. */
  open(settings: Pick<Settings, "accounts" | "installed">): OpenedInsurers;
  /** Applies the change or removal of a stored account to calls that begin from now on. */
  accountChanged(segment: string, id: string): void;
  /** Drops the cached lookup answers; returns their number. */
  dropLookups(): number;
  /** Returns each insurer's current numbers of calls, and the state of its breaker. */
  traffic(): readonly ProviderTraffic[];
  /** Returns the used slots and connections of each insurer. */
  inUse(): readonly InsurerCapacityUse[];
  /** Waits for running calls, then closes every connection and leaves the sandbox process. */
  close(): Promise<void>;
}

/** The upstreams of all insurers with one state of the settings. */
export interface OpenedInsurers {
  /** The upstream of each insurer, by its segment. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Waits for running calls, then closes the connections that no other settings use. */
  readonly close: () => Promise<void>;
}

/** The used slots and connections of one insurer; all numbers are 0 after the gateway has stopped. */
export interface InsurerCapacityUse {
  readonly segment: string;
  /** Number of calls that use a slot of the bulkhead. */
  readonly running: number;
  /** Number of calls that wait for a slot. */
  readonly queued: number;
  /** Number of attempts that use a connection or wait for one. */
  readonly connections: number;
}

/** Creates the insurers of the installed providers, before their settings are applied. */
export async function connectInsurers(
  { data }: Pick<Configuration, "data">,
  installed: readonly InstalledProvider[],
  parts: InsurerParts,
): Promise<Insurers> {
  const sandbox = await attachIfSimulated(data, installed);
  const insurers = new Map(
    installed.map((provider) => [
      provider.segment,
      createInsurer(provider, "sandbox" in provider.upstream, parts),
    ]),
  );
  const all = [...insurers.values()];
  return {
    scenarios: sandbox?.scenarios ?? null,
    open({ accounts, installed: newest }) {
      const upstreams = new Map<string, Upstream>();
      for (const provider of newest) {
        const insurer = insurers.get(provider.segment);
        if (insurer === undefined) continue;
        for (const endpoint of Object.keys(provider.settings.compare.identifiers))
          parts.logger.info(
            { provider: provider.segment, endpoint },
            "the configuration changes the scope in which an insurer's identifiers are unique",
          );
        const way = insurer.open(provider, insurerAccessOf(provider, sandbox), accounts);
        upstreams.set(provider.segment, way);
      }
      return {
        upstreams,
        async close() {
          await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
        },
      };
    },
    accountChanged: (segment, id) => insurers.get(segment)?.accountChanged(id),
    dropLookups: () => all.reduce((sum, insurer) => sum + insurer.dropLookups(), 0),
    traffic: () => all.map((insurer) => insurer.traffic()),
    inUse: () =>
      all.map((insurer) => {
        const { queued, running, segment } = insurer.traffic();
        return { segment, running, queued, connections: insurer.connections() };
      }),
    async close() {
      await Promise.all(all.map((insurer) => insurer.close()));
      await sandbox?.detach();
    },
  };
}

/** Attaches to the sandbox process if at least one insurer is simulated. */
function attachIfSimulated(
  data: string,
  installed: readonly InstalledProvider[],
): Promise<AttachedSandbox> | null {
  const files = installed.flatMap(({ upstream }) =>
    "sandbox" in upstream ? [upstream.sandbox] : [],
  );
  return files.length === 0 ? null : attachSandbox(join(data, "sandbox"), [...new Set(files)]);
}

function insurerAccessOf(
  { adapter, insurerSettings, provider, settings, upstream }: InstalledProvider,
  sandbox: AttachedSandbox | null,
): InsurerAccess {
  const { answers, bulkhead, compare, timeouts } = settings;
  // There are as many connections as slots: otherwise calls would wait in undici's queue, which has no time limit.
  const common = {
    adapter,
    settings: insurerSettings ?? sandbox?.settings[provider.id] ?? {},
    answers,
    compare,
    timeouts,
    connections: bulkhead.running,
  };
  if (!("sandbox" in upstream)) return { ...upstream, ...common, sandbox: false };
  const baseUrl = `${sandbox?.address}/${provider.id}`;
  const known = sandbox?.credentials[provider.id] ?? [];
  const credentials = known.map((credential) => sandboxCredential(credential, baseUrl));
  return { baseUrl, credentials, tls: {}, ...common, sandbox: true };
}

/** Time limit for fetching a token of the sandbox, in milliseconds. */
const SANDBOX_LOGIN_MS = 10_000;

function sandboxCredential(credential: SandboxCredential, baseUrl: string): InsurerCredential {
  switch (credential.type) {
    case "headers":
      return { type: "fixed", content: { headers: credential.headers, login: null } };
    case "login": {
      const { password, username } = credential;
      return { type: "login", login: { username, password }, timeoutMs: SANDBOX_LOGIN_MS };
    }
    case "message": {
      const { password, username } = credential;
      return { type: "fixed", content: { headers: {}, login: { username, password } } };
    }
    case "oauth2":
      return {
        type: "oauth2",
        tokenUrl: baseUrl + credential.path,
        clientId: credential.clientId,
        scope: undefined,
        audience: undefined,
        tls: {},
        timeoutMs: SANDBOX_LOGIN_MS,
        authentication: { type: "client_secret_basic", secret: credential.clientSecret },
      };
  }
}

/** Arguments of `openInsurers`. */
interface OpenInsurersParts
  extends Pick<InsurerParts, "logger" | "observation" | "openTransport" | "readAccount"> {
  /** Returns the current configuration. */
  readonly configuration: () => Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly maintenance: Pick<MaintenancePlan, "current">;
  readonly time: Time;
}

/** The insurers of a gateway, and the parts that inspect the insurers' answers. */
export interface InsurersWithInspection {
  readonly insurers: Insurers;
  /** States how much memory insurers' answers have reserved, and how many calls wait for memory. */
  readonly answerMemory: Pick<AnswerBudget, "held" | "waiting">;
  readonly recording: Pick<Recording, "examples">;
  /** Compares the waiting answers, then closes the insurers. */
  readonly close: () => Promise<void>;
}

/** Opens the insurers. Answers are compared with the declarations, and recorded when an operator requests examples. */
export async function openInsurers({
  configuration,
  installed,
  maintenance,
  time,
  ...parts
}: OpenInsurersParts): Promise<InsurersWithInspection> {
  const { observation } = parts;
  const answerBudget = createAnswerBudget(() => configuration().limits.answerBytes);
  const recording = createRecording(time);
  const drift = startDriftWatch({
    samplePercent: () => configuration().drift.samplePercent,
    time,
    differs: (endpoint, difference) => observation.drifted(endpoint, difference),
  });
  const insurers = await connectInsurers(configuration(), installed, {
    ...parts,
    received(observed, endpoint, answer) {
      drift.received(observed, endpoint, answer);
      recording.received(observed, endpoint, answer);
    },
    now: () => time.elapsed(),
    recovered: (segment, account) => observation.insurerRecovered(segment, account),
    answerBudget,
    maintainedMs: (segment) => (maintenance.current(segment)?.to ?? time.now()) - time.now(),
  });
  return {
    insurers,
    answerMemory: answerBudget,
    recording,
    async close() {
      await drift.stop();
      await insurers.close();
    },
  };
}
