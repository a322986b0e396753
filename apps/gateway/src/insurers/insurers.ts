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
import { createAnswerBudget } from "./exchange/answer-budget.ts";
import { createInsurer, type InsurerParts, type Upstream } from "./insurer.ts";
import type { InsurerAccess } from "./insurer-access.ts";
import type { MaintenancePlan } from "./resilience/maintenance.ts";

/** Every insurer behind the gateway, through every change of the settings. */
export interface Insurers {
  /** The scenarios of the simulated insurers; null when no insurer is simulated. */
  readonly scenarios: AttachedSandbox["scenarios"] | null;
  /** Takes over settings of the same providers, for the calls that begin from now on. */
  open(settings: Pick<Settings, "accounts" | "installed">): OpenedInsurers;
  /** An account of the store to a segment has other credentials or settings, or was removed. */
  accountChanged(segment: string, id: string): void;
  /** Forgets the answers of lookups that are in memory; returns how many there were. */
  dropLookups(): number;
  /** The current state of the traffic to each. */
  traffic(): readonly ProviderTraffic[];
  /** Returns the used capacity of each at this moment. */
  inUse(): readonly InsurerUse[];
  /** Waits for what is under way, then closes every connection and ends the use of the simulated insurers. */
  close(): Promise<void>;
}

/** The insurers with the settings that they were opened with. */
export interface OpenedInsurers {
  /** The way to each insurer, by its segment. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Waits for what is under way, then closes the connections that nothing else uses. */
  readonly close: () => Promise<void>;
}

/** The used capacity of one insurer; every number is 0 after the gateway has stopped. */
export interface InsurerUse {
  readonly segment: string;
  /** Calls that have a place of the bulkhead. */
  readonly running: number;
  /** Calls that wait for a place. */
  readonly queued: number;
  /** Attempts that have a connection or wait for one. */
  readonly connections: number;
}

/** Prepares the insurers of the installed providers, each with an upstream of its own. */
export async function connectInsurers(
  { data }: Pick<Configuration, "data">,
  installed: readonly InstalledProvider[],
  parts: InsurerParts,
): Promise<Insurers> {
  const sandbox = await attachWhereNeeded(data, installed);
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
        const way = insurer.open(provider, accessOf(provider, sandbox), accounts);
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

/** Attaches to the sandbox process when the insurer of some provider is simulated. */
function attachWhereNeeded(
  data: string,
  installed: readonly InstalledProvider[],
): Promise<AttachedSandbox> | null {
  const files = installed.flatMap(({ upstream }) =>
    "sandbox" in upstream ? [upstream.sandbox] : [],
  );
  return files.length === 0 ? null : attachSandbox(join(data, "sandbox"), [...new Set(files)]);
}

function accessOf(
  { adapter, insurerSettings, provider, settings, upstream }: InstalledProvider,
  sandbox: AttachedSandbox | null,
): InsurerAccess {
  const { answers, bulkhead, compare, timeouts } = settings;
  // Each slot of the bulkhead has a connection: undici's own queue, which has no time limit, stays empty.
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

/** How long a simulated insurer is waited for when it is asked for a token, in milliseconds. */
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

/** The parts for opening the insurers of a gateway. */
interface OpenInsurersParts
  extends Pick<InsurerParts, "logger" | "observation" | "openTransport" | "readAccount"> {
  /** The configuration that counts now. */
  readonly configuration: () => Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly maintenance: Pick<MaintenancePlan, "current">;
  readonly time: Time;
}

/** The insurers of a gateway, and the parts that look at their answers. */
export interface OpenInsurers {
  readonly insurers: Insurers;
  /** How many bytes of insurers' answers are in memory. */
  readonly answerBytes: () => number;
  readonly recording: Pick<Recording, "examples">;
  /** Compares the answers that wait for it, then closes the insurers. */
  readonly close: () => Promise<void>;
}

/** Opens the insurers. Their answers are compared with the declarations, and recorded while an operator asks for it. */
export async function openInsurers({
  configuration,
  installed,
  maintenance,
  time,
  ...parts
}: OpenInsurersParts): Promise<OpenInsurers> {
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
    answerBytes: () => answerBudget.held(),
    recording,
    async close() {
      await drift.stop();
      await insurers.close();
    },
  };
}
