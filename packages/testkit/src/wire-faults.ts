import type { Adapter } from "@insurance-gateway/adapter";
import type { AnySandbox, SandboxDialect } from "@insurance-gateway/adapter/sandbox";
import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { type AccessPart, accessTo, mergeCredentials } from "./access.ts";
import { adapterTripFaults } from "./adapter-trip.ts";
import { executeCall, type SimulatedInsurer } from "./dialect-insurer.ts";
import { loginFaults, type SendableCall, settingFaults } from "./presence-faults.ts";
import { unprovenHint } from "./proof.ts";
import {
  type FailureRows,
  type InsurerRefusal,
  meaningFaults,
  messageFaults,
  unprovenRows,
} from "./refusal-faults.ts";
import type { RunCache } from "./run.ts";
import { now } from "./sandbox-answers.ts";
import type { KnownValues } from "./trip-values.ts";

/** A package with an adapter, and a sandbox with a dialect. */
export interface WirePackage {
  readonly provider: Provider<object>;
  readonly siblings: Readonly<Record<string, Endpoint>>;
  readonly known: ReadonlyMap<string, KnownValues>;
  readonly adapter: Adapter;
  readonly sandbox: AnySandbox;
  readonly dialect: SandboxDialect;
  readonly refusals?: readonly InsurerRefusal[];
  readonly run: RunCache;
}

/** Finds differences between the package's adapter and its simulated insurer. */
export async function wireFaults({
  adapter,
  dialect,
  known,
  provider,
  refusals = [],
  run,
  sandbox,
  siblings,
}: WirePackage): Promise<readonly string[]> {
  const insurer: SimulatedInsurer = { sandbox, dialect, run };
  const { faults: refused, parts } = await accessTo(adapter, insurer);
  const access = parts && mergeCredentials(parts);
  const rows: FailureRows = { adapter, provider, shown: new Set() };
  const calls: SendableCall[] = [];
  const faults: string[] = [...refused];
  for (const [name, endpoint] of Object.entries(siblings)) {
    if (sandbox.handlers[name] === undefined) continue;
    const subject = { ...insurer, name, endpoint, adapter, access };
    const values = known.get(name) ?? { requests: [], responses: [] };
    const trip = await adapterTripFaults({ ...subject, siblings, known: values, rows });
    faults.push(...trip.faults.map((fault) => `${name}: ${fault}`));
    if (trip.sendable !== undefined) calls.push({ subject, input: trip.sendable });
  }
  for (const message of refusals) {
    const call = calls.find(({ subject }) => subject.name === message.endpoint);
    faults.push(...(await messageFaults(rows, message, call)));
  }
  const accepted = [...(adapter.credentials ?? []).flat(), ...(dialect.credentials ?? [])];
  const needsMessage = accepted.some(({ type }) => type === "message");
  return [
    ...faults,
    ...(await settingFaults(provider.settings, calls)),
    ...(await loginFaults(adapter, needsMessage, calls)),
    ...(await credentialFaults(parts ?? [], rows, calls)),
    ...(calls.length === 0 ? [] : unprovenRows(rows)),
  ];
}

/** Finds credentials that the sandbox does not require, or refuses before the credentials expire. */
async function credentialFaults(
  parts: readonly AccessPart[],
  rows: FailureRows,
  [call]: readonly SendableCall[],
): Promise<readonly string[]> {
  if (call === undefined) return [];
  const { input, subject } = call;
  const faults: string[] = [];
  for (const part of parts) {
    const access = mergeCredentials(parts.filter((one) => one !== part));
    const { answer, seen } = await executeCall(subject, input, { access });
    const what = `its sandbox's refusal of a call without its ${part.type} credential`;
    if (!seen.some(({ isAccessRefused }) => isAccessRefused))
      faults.push(`its sandbox accepts a call without its ${part.type} credential: refuse it`);
    else if (answer?.type === "refusal" && answer.content !== null && answer.content !== "")
      faults.push(...meaningFaults(rows, subject.endpoint, answer, what, refusedCodes));
    if (part.type === "headers" || part.type === "message") continue;
    const { seconds } = part;
    const atEnd = (): Date => new Date(now().getTime() + ((seconds ?? A_DAY) - 1) * 1_000);
    const aged = await executeCall(subject, input, { now: atEnd });
    if (aged.seen.some(({ isAccessRefused }) => isAccessRefused))
      faults.push(
        seconds === null
          ? `its adapter's login must return the lifetime of its token (\`expiresInSeconds\`): its sandbox refuses the token within a day${unprovenHint("login expiry")}`
          : `its sandbox refuses a token that should be valid for ${seconds} seconds (\`expiresInSeconds\`)`,
      );
  }
  return faults;
}

/** One day, in seconds. */
const A_DAY = 86_400;

const refusedCodes: readonly string[] = ["PROVIDER_AUTH_FAILED", "NOT_ALLOWED"];
