import { setTimeout } from "node:timers/promises";
import {
  DEVELOPMENT_ISSUER,
  openDevelopmentIssuer,
} from "../../src/authentication/development-issuer.ts";
import { CLAIM, connection, KEY_HEADER } from "../connections/brokers.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Answer, submitWith } from "./callers.ts";
import { type Chance, createChance } from "./chance.ts";
import { type Deployment, deploy } from "./deployment.ts";
import type { Place } from "./place.ts";
import { type SharedInsurer, type SharedManner, startSharedInsurer } from "./shared-insurer.ts";
import { waitUntilNone } from "./wait-until.ts";

const BROKERS = ["north", "south"] as const;
type Broker = (typeof BROKERS)[number];

/** An application that a broker sends with a key of its own. */
interface Sent {
  readonly broker: Broker;
  readonly afm: string;
  /** The answers that its caller got, in order. */
  readonly answers: Answer[];
}

/** Two brokers' gateway before the insurer that both have. */
interface World {
  readonly deployment: Deployment;
  readonly insurer: SharedInsurer;
  readonly tokens: Readonly<Record<Broker, string>>;
  readonly chance: Chance;
  readonly sent: Sent[];
}

const manners: readonly SharedManner[] = ["answers", "loses", "swaps", "ignores", "recognises"];
/** So many customers go to both brokers in a round. */
const CUSTOMERS = 6;

/**
 * Lets two brokers send the same applications to one insurer, at once or one after the other, while the insurer mixes up its
 * answers and gateways are killed.
 * @returns every crossing between brokers, and every false, doubled or lost outcome
 */
export async function mixUpBrokers(
  place: Place,
  rounds: number,
  seed: number,
): Promise<readonly string[]> {
  const chance = createChance(seed);
  const insurer = await startSharedInsurer(createChance(seed + 1));
  try {
    const deployment = await deployBrokers(place, insurer);
    try {
      const issuer = await openDevelopmentIssuer(deployment.dataFolder);
      const tokenOf = (broker: Broker): Promise<string> =>
        issuer.sign({
          subject: broker,
          scope: "*:*",
          claims: { [CLAIM]: broker },
          expiresInSeconds: 86_400,
        });
      const tokens = { north: await tokenOf("north"), south: await tokenOf("south") };
      const world: World = { deployment, insurer, tokens, chance, sent: [] };
      for (let round = 0; round < rounds; round += 1) await playRound(world, round);
      await waitForQueries(deployment);
      for (const one of world.sent) await ask(world, one);
      const faults = await faultsOf(world);
      report(world, place, rounds, seed, faults);
      return faults;
    } finally {
      await deployment.close();
    }
  } finally {
    await insurer.close();
  }
}

function deployBrokers(place: Place, insurer: SharedInsurer): Promise<Deployment> {
  const keys = ["default", ...BROKERS].map((id) => [`KEY_${id}`, id]);
  const environment = { ...place.environment, ...Object.fromEntries(keys) };
  const credentials = { type: "apiKey", header: KEY_HEADER, value: { env: "KEY_default" } };
  return deploy({ ...place, environment }, () => ({ does: "answers", afterMs: 0 }), {
    connections: {
      claim: CLAIM,
      list: BROKERS.map((broker) => connection(broker, broker, { issuer: DEVELOPMENT_ISSUER })),
    },
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl, { credentials }),
        breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
        callerLimit: { requests: 1_000_000 },
      },
    ],
  });
}

/** Customers go to both brokers, and a gateway is killed while their applications are under way. */
async function playRound(world: World, round: number): Promise<void> {
  const { chance, deployment } = world;
  const customers = Array.from({ length: CUSTOMERS }, (_, index) =>
    String(100_000_000 + round * CUSTOMERS + index),
  );
  const playing = Promise.all(customers.map((afm) => sendBoth(world, afm)));
  const victim = deployment.replicas[Math.floor(chance.next() * deployment.replicas.length)];
  await setTimeout(chance.between(20, 300));
  await victim?.kill();
  await victim?.start();
  await playing;
}

async function sendBoth(world: World, afm: string): Promise<void> {
  const { chance, insurer } = world;
  const draw = (): SharedManner => manners[Math.floor(chance.next() * manners.length)] ?? "answers";
  const isSwapped = chance.next() < 0.2;
  const drawn = isSwapped
    ? { north: "swaps" as const, south: "swaps" as const }
    : { north: draw(), south: draw() };
  insurer.treat(afm, (broker) => drawn[broker === "north" ? "north" : "south"]);
  const [first, second] = BROKERS.map((broker): Sent => ({ broker, afm, answers: [] }));
  if (first === undefined || second === undefined) return;
  world.sent.push(first, second);
  const isAtOnce = isSwapped || chance.next() < 0.5;
  const asked = ask(world, first);
  if (!isAtOnce) await asked;
  await Promise.all([asked, ask(world, second)]);
}

/** Sends it with its key, again until somebody answers. */
async function ask({ deployment, tokens }: World, { afm, answers, broker }: Sent): Promise<void> {
  const gateway = { address: deployment.address, token: tokens[broker] };
  await waitUntilNone("an answer", 60_000, async () => {
    const answer = await submitWith(gateway, afm, `${broker}-${afm}`);
    if (answer === undefined || isStarting(answer)) return 1;
    answers.push(answer);
    return 0;
  });
}

function isStarting({ code }: Answer): boolean {
  return code === "STORE_UNAVAILABLE" || code === "OVERLOADED";
}

/** Waits for what is in flight, whose lease ends, and for the first queries. */
async function waitForQueries(deployment: Deployment): Promise<void> {
  await waitUntilNone("the first queries", 120_000, async () => {
    const records = await deployment.records();
    return records.filter(
      ({ queries, state }) =>
        state === "in_flight" || (state === "outcome_unknown" && queries === 0),
    ).length;
  });
}

/** Compares what callers were told and what the store has with what the insurer made. */
async function faultsOf({ deployment, insurer, sent }: World): Promise<readonly string[]> {
  const faults: string[] = [];
  const owners = new Map<string, string>();
  for (const [id, count] of insurer.arrivals)
    if (count > 1) faults.push(`${id} arrived ${count} times`);
  for (const { id, insurerId, state } of await deployment.records()) {
    const made = insurer.madeFor(id);
    if (state === "succeeded" && insurerId !== made)
      faults.push(`${id} has ${insurerId}, and the insurer made ${made} for it`);
    if (state === "failed" && made !== undefined)
      faults.push(`${id} is called failed, and the insurer made ${made} for it`);
    if (insurerId === null) continue;
    const owner = owners.get(insurerId);
    if (owner !== undefined) faults.push(`${insurerId} belongs to ${owner} and to ${id}`);
    owners.set(insurerId, id);
  }
  for (const { afm, answers, broker } of sent)
    faults.push(...falselyTold(insurer, `${broker}-${afm}`, answers));
  return faults;
}

function falselyTold(
  insurer: SharedInsurer,
  key: string,
  answers: readonly Answer[],
): readonly string[] {
  const successes = answers.filter(({ status }) => status === 201);
  const bodies = new Set(successes.map(({ text }) => text));
  return [
    ...(bodies.size > 1 ? [`${key} had two answers`] : []),
    ...(successes.length > 0 && answers.at(-1)?.status !== 201 ? [`${key} lost its answer`] : []),
    ...successes.flatMap(({ kept, text }) => {
      const id = String(kept.location).split("/").at(-1) ?? "";
      const told: unknown = Reflect.get(JSON.parse(text), "applicationId");
      return told === insurer.madeFor(id) ? [] : [`${key} was told ${String(told)} of another`];
    }),
  ];
}

function report(
  { insurer, sent }: World,
  { name }: Place,
  rounds: number,
  seed: number,
  faults: readonly string[],
): void {
  const ends = sent.map(({ answers }) => answers.at(-1)?.code ?? "201");
  const counts = [...new Set(ends)].map(
    (end) => `${ends.filter((one) => one === end).length} ${end}`,
  );
  process.stderr.write(
    `two brokers, ${name}: ${rounds} rounds, ${insurer.arrivals.size} arrivals, ${counts.join(", ")}, ${faults.length} faults; CHAOS_SEED=${seed} repeats them\n`,
  );
}
