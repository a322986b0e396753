import { loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import {
  developmentToken,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { clock } from "./clock.ts";
import { readNumbers } from "./command-line.ts";
import type { InsurerBehaviour } from "./insurer/behaviour.ts";
import { startInsurer } from "./insurer/insurer.ts";
import { startLoad } from "./load/load.ts";
import { dueWithin, endingsIn, lateAt, tookAt } from "./load/samples.ts";
import { markdownTable } from "./markdown-table.ts";
import { percentile, rounded } from "./percentile.ts";
import { called, callOf, type ProviderName } from "./resilience/calls.ts";
import { type Estimate, ratioOf } from "./statistics.ts";

/** What one broker's calls take while another's credentials are revoked, another insurer is down, or both. */

const asked = readNumbers(
  `npm run bench:isolation -- [OPTION]...

Measures what one broker's calls take while another's credentials are revoked, another insurer is down,
or both.`,
  {
    rounds: { about: "rounds; 6 are the fewest that give an interval of 95 %", byDefault: 6 },
    seconds: { about: "how long each situation lasts in a round", byDefault: 4 },
    "per-second": { about: "calls a second", byDefault: 200 },
  },
);

const SETTLE_MS = 1_500;
const ISSUER = "urn:insurance-gateway:development-issuer";
const tenants = ["north", "south"] as const;
/** A search and a quote, which are never answered from memory. */
const providers = ["provider-d", "provider-e"] as const satisfies readonly ProviderName[];

const answerOf = (provider: ProviderName): InsurerBehaviour => ({
  afterMs: 20,
  status: 200,
  body: called.find((one) => one.provider === provider)?.answer ?? "",
});
const insurers = {
  "provider-e": await startInsurer(answerOf("provider-e")),
  "provider-d": await startInsurer(answerOf("provider-d")),
};
const folder = makeGatewayFolder({
  providers: providers.map((provider) => ({
    package: `@insurance-gateway/${provider}`,
    upstream: { baseUrl: insurers[provider].baseUrl, adapter: "declared" },
    callerLimit: { requests: 1_000_000, windowSeconds: 1 },
    // The insurer is back within the time that is left out of the figures.
    breaker: { openMs: 500, longestOpenMs: 500 },
  })),
  connections: {
    claim: "broker",
    list: tenants.flatMap((name) =>
      providers.map((segment) => ({
        id: `${name}-${segment}`,
        tenant: { issuer: ISSUER, name },
        segment,
        credentials: { type: "apiKey", header: "x-agency-key", value: { env: name } },
      })),
    ),
  },
});
const gateway = await startGatewayProcess(folder.path, { north: "north", south: "south" });
gateway.child.stdout?.removeAllListeners("data").resume();

const revoked = { ...answerOf("provider-d"), refusedKey: "north" };
const down: InsurerBehaviour = { afterMs: 0, status: 503, body: "" };
/** How the insurers of provider E and provider D behave in each situation. */
const situations = {
  "nothing wrong": [answerOf("provider-e"), answerOf("provider-d")],
  "north's credentials revoked at D": [answerOf("provider-e"), revoked],
  "insurer E down": [down, answerOf("provider-d")],
  both: [down, revoked],
} as const;
const tokens = { north: await tokenOf("north"), south: await tokenOf("south") };
const calls = tenants.flatMap((tenant) =>
  providers.map((provider) => ({
    ...callOf(provider, tokens[tenant]),
    name: `${tenant} at ${provider}`,
  })),
);
const load = await startLoad({
  origin: gateway.address,
  calls,
  perSecond: asked["per-second"],
  connections: 200,
  timeoutMs: 10_000,
});
await wait(3_000);
const windows: { readonly situation: string; readonly from: number; readonly to: number }[] = [];
for (let round = 0; round < asked.rounds; round += 1)
  for (const [situation, [behaviourOfE, behaviourOfD]] of Object.entries(situations)) {
    await insurers["provider-e"].behave(behaviourOfE);
    await insurers["provider-d"].behave(behaviourOfD);
    await wait(SETTLE_MS);
    const from = clock();
    await wait(asked.seconds * 1_000);
    windows.push({ situation, from, to: clock() });
  }
const { sent } = await load.end();
await gateway.stop();
folder.remove();
await Promise.all(Object.values(insurers).map((insurer) => insurer.kill()));

const rows = Object.keys(situations).map((situation) => {
  const inWindows = windows
    .filter((window) => window.situation === situation)
    .map(({ from, to }) => dueWithin(sent, from, to));
  const of = (call: string): typeof inWindows =>
    inWindows.map((samples) => samples.filter((sample) => sample.call === call));
  const unaffected = of("south at provider-d");
  const p99 = unaffected.map((samples) => tookAt(samples, 0.99));
  return { situation, p99, unaffected, of };
});
const calm = rows[0]?.p99 ?? [];
process.stdout.write(
  `${asked["per-second"]} calls a second in turn by two brokers at two insurers that answer after 20 ms; each situation for ` +
    `${asked.seconds} s, ${asked.rounds} times in turn. p99 of the south's calls at D, beside the same round with nothing wrong: ` +
    `medians, wanted ≤ 1.2 ×. Load of the machine at the end: ${rounded(loadavg()[0] ?? 0)}.\n\n`,
);
process.stdout.write(
  `${markdownTable(
    rows.map(({ of, p99, situation, unaffected }) => ({
      situation,
      "p99 ms": rounded(percentile(p99, 0.5)),
      times: timesText(ratioOf(p99, calm)),
      "sent late, p99 ms": rounded(lateAt(unaffected.flat(), 0.99)),
      "south at D": endingsIn(unaffected.flat()),
      "north at D": endingsIn(of("north at provider-d").flat()),
      "south at E": endingsIn(of("south at provider-e").flat()),
    })),
  )}\n`,
);

/** A ratio with its interval and how certain that is. */
function timesText({ confidence, high, low, median }: Estimate): string {
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}, ${Math.floor(confidence * 100)} %)`;
}

function tokenOf(tenant: string): Promise<string> {
  return developmentToken(folder.path, "--tenant", tenant);
}
