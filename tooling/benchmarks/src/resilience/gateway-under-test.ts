import {
  developmentToken,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { type Insurer, startInsurer } from "../insurer/insurer.ts";
import type { LoadCall } from "../load/plan.ts";
import { called, callOf, type ProviderName } from "./calls.ts";

/** The built gateway in a process of its own, with the five providers' insurers behind it in processes of theirs. */
export interface GatewayUnderTest {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly pid: number;
  readonly token: string;
  readonly calls: readonly LoadCall[];
  insurer(provider: ProviderName): Insurer;
  call(provider: ProviderName): LoadCall;
  /** Lets an insurer answer as it is declared, so many milliseconds after each request. */
  answerAfter(provider: ProviderName, afterMs: number): Promise<void>;
}

/** A configuration's keys for each provider, beyond the defaults. */
export type ProviderSettings = Readonly<Record<string, object>>;

/** So that one caller can send everything. */
const UNLIMITED_CALLER = { requests: 1_000_000, windowSeconds: 1 };

/**
 * Starts everything, lets it be used, and ends everything.
 * @throws an Error with its last words when the gateway ended by itself
 */
export async function withGateway<Result>(
  settings: ProviderSettings,
  use: (gateway: GatewayUnderTest) => Promise<Result>,
): Promise<Result> {
  const insurers = new Map<ProviderName, Insurer>();
  for (const { answer, provider } of called)
    insurers.set(provider, await startInsurer({ afterMs: 20, status: 200, body: answer }));
  const folder = makeGatewayFolder({
    providers: called.map(({ provider }) => ({
      package: `@insurance-gateway/${provider}`,
      upstream: { baseUrl: insurerOf(insurers, provider).baseUrl, adapter: "declared" },
      callerLimit: UNLIMITED_CALLER,
      // An answer from memory would hide what its insurer does.
      answers: { freshMinutes: 0 },
      ...settings,
    })),
  });
  try {
    return await usingGateway(folder.path, insurers, use);
  } finally {
    folder.remove();
    await Promise.all([...insurers.values()].map((insurer) => insurer.kill()));
  }
}

async function usingGateway<Result>(
  folder: string,
  insurers: ReadonlyMap<ProviderName, Insurer>,
  use: (gateway: GatewayUnderTest) => Promise<Result>,
): Promise<Result> {
  const token = await developmentToken(folder);
  const gateway = await startGatewayProcess(folder);
  const { address, child } = gateway;
  // Its log is read and let go: what is kept of it would grow with every request.
  child.stdout?.removeAllListeners("data").resume();
  const { pid } = child;
  if (pid === undefined) throw new TypeError("A process that serves has an id");
  const parts: GatewayUnderTest = {
    origin: address,
    pid,
    token,
    calls: called.map(({ provider }) => callOf(provider, token)),
    insurer: (provider) => insurerOf(insurers, provider),
    call: (provider) => callOf(provider, token),
    answerAfter: (provider, afterMs) =>
      insurerOf(insurers, provider).behave({ afterMs, status: 200, body: answerOf(provider) }),
  };
  try {
    const result = await use(parts);
    if (child.exitCode === null) return result;
    throw new Error(`The gateway ended: ${gateway.output().slice(-2_000)}`);
  } finally {
    if (child.exitCode === null) await gateway.stop();
  }
}

function insurerOf(insurers: ReadonlyMap<ProviderName, Insurer>, provider: ProviderName): Insurer {
  const insurer = insurers.get(provider);
  if (insurer === undefined) throw new TypeError(`${provider} has no insurer`);
  return insurer;
}

function answerOf(provider: ProviderName): string {
  return called.find((one) => one.provider === provider)?.answer ?? "";
}
