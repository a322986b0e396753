import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import type { Insurer } from "../harness/insurer.ts";
import { type SteadyLoad, startSteadyLoad } from "../rolling/steady-load.ts";
import { type Footprint, footprintOf, leastOf, mostOf, samplesBetween } from "./footprint.ts";
import { mixedRequest } from "./mixed-requests.ts";
import { startMoodyInsurer } from "./moody-insurer.ts";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const PER_SECOND = 100;
const SAMPLE_INTERVAL_MS = 2_000;
/** Number of samples between two full garbage collections. V8 itself may run none for a minute. */
const SAMPLES_BETWEEN_COLLECTIONS = 10;
const COLLECT_ON_SIGNAL =
  "--expose-gc --import=data:text/javascript,process.on('SIGUSR2',()=>gc())";
const CALLERS = 50;

let insurer: Insurer;
let folder: GatewayFolder;
let gateway: GatewayProcess;
const tokens: string[] = [];

beforeAll(async () => {
  insurer = await startMoodyInsurer();
  const providers = ["a", "c", "d", "e"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    timeouts: { totalMs: 2_000, submissionMs: 2_000 },
    callerLimit: { requests: 100_000 },
  }));
  folder = makeGatewayFolder({ providers, authentication: { refusedTokens: 100_000 } });
  gateway = await startGatewayProcess(folder.path, { NODE_OPTIONS: COLLECT_ON_SIGNAL });
  const issuer = await openDevelopmentIssuer(join(folder.path, "data"));
  const expiresInSeconds = (MINUTES + 60) * 60;
  for (let caller = 0; caller < CALLERS; caller += 1)
    tokens.push(
      await issuer.sign({
        subject: `caller-${caller}`,
        scope: "*:*",
        claims: {},
        expiresInSeconds,
      }),
    );
});
afterAll(async () => {
  // After a successful test, the gateway has ended already. After a failed test, the gateway must be stopped.
  await gateway.stop();
  await insurer.close();
  folder.remove();
});

/** Samples the gateway's resources until the time is over, and prints the progress. */
async function watch(load: SteadyLoad): Promise<readonly Footprint[]> {
  const samples: Footprint[] = [];
  const looks = (MINUTES * 60_000) / SAMPLE_INTERVAL_MS;
  for (let look = 1; look <= looks; look += 1) {
    await setTimeout(SAMPLE_INTERVAL_MS);
    if (look % SAMPLES_BETWEEN_COLLECTIONS === 0) gateway.child.kill("SIGUSR2");
    const footprint = await footprintOf(gateway);
    // Only the callers decide how many connections they open, so the callers' connections do not count.
    const sample = { ...footprint, descriptors: footprint.descriptors - load.connections() };
    samples.push(sample);
    if (look % 30 === 0) {
      const minutes = Math.round((look * SAMPLE_INTERVAL_MS) / 60_000);
      const [held, resident] = [sample.heldMegabytes, sample.residentMegabytes].map(Math.round);
      process.stdout.write(
        `soak: ${minutes} of ${MINUTES} minutes, ${held} MB held, ${resident} MB resident, ${sample.descriptors} descriptors\n`,
      );
    }
  }
  return samples;
}

it(`the gateway uses no more memory or descriptors at the end of ${MINUTES} minutes than after its warm-up`, async () => {
  const load = startSteadyLoad(gateway.address, PER_SECOND, () => mixedRequest(tokens));
  const samples = await watch(load);
  const { answered, failures, notTaken } = await load.stop();
  process.stdout.write(`soak: ${answered} answers, of them ${JSON.stringify(failures)}\n`);
  expect(notTaken).toBe(0);
  expect(answered).toBeGreaterThan(MINUTES * 60 * PER_SECOND * 0.5);
  // Only failures of the gateway itself have the status 500; failures of insurers have 502 to 504.
  expect(Object.keys(failures).filter((failure) => failure.startsWith("500"))).toEqual([]);

  const warm = samplesBetween(samples, 0.3, 0.5);
  const end = samplesBetween(samples, 0.8, 1);
  process.stdout.write(`soak: warm ${wordsFor(warm)}; at the end ${wordsFor(end)}\n`);
  const mostHeld = leastOf(warm, "heldMegabytes") * 1.1 + 10;
  expect(leastOf(end, "heldMegabytes")).toBeLessThan(mostHeld);
  const mostResident = mostOf(warm, "residentMegabytes") * 1.1 + 10;
  expect(mostOf(end, "residentMegabytes")).toBeLessThan(mostResident);
  expect(leastOf(end, "descriptors")).toBeLessThan(leastOf(warm, "descriptors") + 20);
  expect((await gateway.stop()).code).toBe(0);
});

function wordsFor(samples: readonly Footprint[]): string {
  const held = leastOf(samples, "heldMegabytes").toFixed(0);
  const resident = mostOf(samples, "residentMegabytes").toFixed(0);
  return `at least ${held} MB held and ${leastOf(samples, "descriptors")} descriptors, at most ${resident} MB resident`;
}
