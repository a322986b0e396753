import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevelopmentIssuer } from "../../src/authentication/development-issuer.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import type { Insurer } from "../harness/insurer.ts";
import { type SteadyLoad, startSteadyLoad } from "../rolling/steady-load.ts";
import { type Footprint, footprintOf, leastBetween } from "./footprint.ts";
import { mixedRequest } from "./mixed-requests.ts";
import { startMoodyInsurer } from "./moody-insurer.ts";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const PER_SECOND = 100;
const LOOK_EVERY_MS = 2_000;
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
  gateway = await startGatewayProcess(folder.path);
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
  // Also after a failed expectation; it has ended already otherwise.
  await gateway.stop();
  await insurer.close();
  folder.remove();
});

/** Looks at the gateway until the time is over, and says how it goes. */
async function watch(pid: number, load: SteadyLoad): Promise<readonly Footprint[]> {
  const samples: Footprint[] = [];
  const looks = (MINUTES * 60_000) / LOOK_EVERY_MS;
  for (let look = 1; look <= looks; look += 1) {
    await setTimeout(LOOK_EVERY_MS);
    const footprint = footprintOf(pid);
    // How many connections the callers keep is theirs to say.
    samples.push({ ...footprint, descriptors: footprint.descriptors - load.connections() });
    const { descriptors, residentMegabytes } = samples.at(-1) ?? {
      descriptors: 0,
      residentMegabytes: 0,
    };
    if (look % 30 === 0)
      process.stdout.write(
        `soak: ${Math.round((look * LOOK_EVERY_MS) / 60_000)} of ${MINUTES} minutes, ${residentMegabytes.toFixed(0)} MB, ${descriptors} descriptors\n`,
      );
  }
  return samples;
}

it(`holds no more at the end of ${MINUTES} minutes than when it was warm`, async () => {
  const load = startSteadyLoad(gateway.address, PER_SECOND, () => mixedRequest(tokens));
  const samples = await watch(Number(gateway.child.pid), load);
  const { answered, failures, notTaken } = await load.stop();
  process.stdout.write(`soak: ${answered} answers, of them ${JSON.stringify(failures)}\n`);
  expect(notTaken).toBe(0);
  expect(answered).toBeGreaterThan(MINUTES * 60 * PER_SECOND * 0.5);
  // The gateway's own failures; what insurers do wrong are 502 to 504.
  expect(failures["500"]).toBeUndefined();

  const warm = leastBetween(samples, 0.3, 0.5);
  const end = leastBetween(samples, 0.8, 1);
  process.stdout.write(`soak: warm ${JSON.stringify(warm)}, end ${JSON.stringify(end)}\n`);
  expect(end.residentMegabytes).toBeLessThan(warm.residentMegabytes * 1.1 + 10);
  expect(end.descriptors).toBeLessThan(warm.descriptors + 20);
  expect((await gateway.stop()).code).toBe(0);
});
