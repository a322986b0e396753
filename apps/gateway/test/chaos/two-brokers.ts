import { setTimeout } from "node:timers/promises";
import { openDevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import { DEVELOPMENT_ISSUER } from "../../src/configuration/account-check.ts";
import { account, CLAIM, KEY_HEADER } from "../harness/brokers.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { letTimePass, waitForLeases, waitForLookups } from "./aftermath.ts";
import { type Answer, submitWith } from "./callers.ts";
import { type Chance, createChance } from "./chance.ts";
import { type Deployment, deploy, SUBMISSION_MS } from "./deployment.ts";
import type { Place } from "./place.ts";
import { type SharedInsurer, type SharedManner, startSharedInsurer } from "./shared-insurer.ts";
import { waitUntilNone } from "./wait-until.ts";

const BROKERS = ["north", "south"] as const;
type Broker = (typeof BROKERS)[number];

/** An application that one broker sends, always with the same key. */
interface Sent {
  readonly broker: Broker;
  readonly afm: string;
  /** The answers to the broker, in their order. */
  readonly answers: Answer[];
}

/** The gateway of two brokers, and the insurer of both. */
interface World {
  readonly deployment: Deployment;
  readonly insurer: SharedInsurer;
  readonly tokens: Readonly<Record<Broker, string>>;
  readonly chance: Chance;
  readonly sent: Sent[];
}

const manners: readonly SharedManner[] = ["answers", "loses", "swaps", "ignores", "recognises"];
/** Number of customers in a round. Most send an application through both brokers, the others through one. */
const CUSTOMERS = 8;
/** Number of customers that both brokers serve. */
const SHARED_CUSTOMERS = 6;
const MINUTE = 60_000;
/**
 * Running times that pass one after the other. After the first two, two queries have proved each absence. After the
 * third, the last query was sent.
 */
const PASSING_MS: readonly number[] = [20 * MINUTE, 5 * MINUTE, 31 * 60 * MINUTE];

/**
 * Lets two brokers send the same applications to one insurer, simultaneously or one after the other, while the insurer
 * swaps its answers and gateways are killed. Then lets 31 hours of running time pass, after which no submission is
 * open.
 * @returns a line for each answer of another broker, each false, doubled or lost outcome, each open submission, and
 * each submission that needs review without a reason
 */
export async function runTwoBrokers(
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
      await waitForLeases(deployment);
      await waitForLookups(deployment);
      // Sends the applications that have no submission yet, before running time passes.
      for (const one of world.sent) await ask(world, one);
      for (const wait of PASSING_MS) await letTimePass(deployment, wait);
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
    accounts: {
      claim: CLAIM,
      list: BROKERS.map((broker) => account(broker, broker, { issuer: DEVELOPMENT_ISSUER })),
    },
    providers: [
      {
        ...insurerConfiguration("d", insurer.baseUrl, { credentials }),
        // A short deadline, because the test waits until the lease ends.
        timeouts: { submissionMs: SUBMISSION_MS },
        breaker: { failuresInRow: 10_000, minCalls: 10_000 },
        callerLimit: { requests: 1_000_000 },
      },
    ],
    submissions: {
      keys: [{ id: "chaos", secret: { env: "SEALING_KEY" } }],
      queriesPerSecond: 1_000,
    },
  });
}

/** Sends the applications of one round, and kills a gateway while the applications are in progress. */
async function playRound(world: World, round: number): Promise<void> {
  const { chance, deployment } = world;
  const customers = Array.from({ length: CUSTOMERS }, (_, index) =>
    String(100_000_000 + round * CUSTOMERS + index),
  );
  const playing = Promise.all(
    customers.map((afm, index) =>
      index < SHARED_CUSTOMERS ? sendBoth(world, afm) : sendOne(world, afm),
    ),
  );
  const victim = deployment.replicas[Math.floor(chance.next() * deployment.replicas.length)];
  await setTimeout(chance.between(20, 300));
  await victim?.kill();
  await victim?.start();
  await playing;
}

/** Sends an application of a customer who has only one broker. Nobody can confuse this application with another. */
async function sendOne(world: World, afm: string): Promise<void> {
  const { chance, insurer } = world;
  const drawn = drawManner(chance);
  insurer.treat(afm, () => drawn);
  const one: Sent = { broker: chance.next() < 0.5 ? "north" : "south", afm, answers: [] };
  world.sent.push(one);
  await ask(world, one);
}

function drawManner(chance: Chance): SharedManner {
  return manners[Math.floor(chance.next() * manners.length)] ?? "answers";
}

async function sendBoth(world: World, afm: string): Promise<void> {
  const { chance, insurer } = world;
  const isSwapped = chance.next() < 0.2;
  const drawn = isSwapped
    ? { north: "swaps" as const, south: "swaps" as const }
    : { north: drawManner(chance), south: drawManner(chance) };
  insurer.treat(afm, (broker) => drawn[broker === "north" ? "north" : "south"]);
  const [first, second] = BROKERS.map((broker): Sent => ({ broker, afm, answers: [] }));
  if (first === undefined || second === undefined) return;
  world.sent.push(first, second);
  const isAtOnce = isSwapped || chance.next() < 0.5;
  const asked = ask(world, first);
  if (!isAtOnce) await asked;
  await Promise.all([asked, ask(world, second)]);
}

/** Sends an application with its key until an answer comes. */
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

/** Compares the answers to callers and the store with the insurer's applications. Returns the contradictions. */
async function faultsOf({ deployment, insurer, sent }: World): Promise<readonly string[]> {
  const faults: string[] = [];
  const owners = new Map<string, string>();
  for (const [id, count] of insurer.arrivals)
    if (count > 1) faults.push(`${id} arrived ${count} times`);
  for (const { id, insurerId, state } of await deployment.records()) {
    if (state === "in_flight" || state === "outcome_unknown") faults.push(`${id} is ${state}`);
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
    faults.push(...falseAnswers(insurer, `${broker}-${afm}`, answers));
  faults.push(...needlessReviews(insurer, sent));
  return faults;
}

/**
 * Returns the submissions that need review without a reason. A reason is that both brokers sent an application of the
 * customer, and that the insurer answered one broker with the other broker's application, or reported an application to
 * neither broker: the creation times of such applications are too close to distinguish the applications.
 */
function needlessReviews(insurer: SharedInsurer, sent: readonly Sent[]): readonly string[] {
  const told = new Set(sent.flatMap(({ answers }) => answers.map(applicationIn)));
  return sent.flatMap(({ afm, answers, broker }) => {
    const last = answers.at(-1);
    if (last?.code !== "OUTCOME_UNKNOWN") return [];
    const isShared = sent.some((other) => other.afm === afm && other.broker !== broker);
    const isOpen = insurer.madeOf(afm).some((id) => !told.has(id));
    const isMisled = insurer.misled.has(submissionIn(last));
    return isShared && (isOpen || isMisled)
      ? []
      : [`${broker}-${afm} needs review, and nothing is in doubt`];
  });
}

function applicationIn({ text }: Answer): unknown {
  return Reflect.get(JSON.parse(text), "applicationId");
}

/** Returns the id of the submission in an answer of unknown outcome. */
function submissionIn({ text }: Answer): string {
  const { reconciliation } = { reconciliation: {}, ...JSON.parse(text) };
  return String(reconciliation.href).split("/").at(-1) ?? "";
}

function falseAnswers(
  insurer: SharedInsurer,
  key: string,
  answers: readonly Answer[],
): readonly string[] {
  const successes = answers.filter(({ status }) => status === 201);
  const bodies = new Set(successes.map(({ text }) => text));
  return [
    ...(bodies.size > 1 ? [`${key} had two answers`] : []),
    ...(successes.length > 0 && answers.at(-1)?.status !== 201 ? [`${key} lost its answer`] : []),
    ...successes.flatMap((answer) => {
      const id = String(answer.kept.location).split("/").at(-1) ?? "";
      const told = applicationIn(answer);
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
    `two brokers, ${name}: ${rounds} rounds, ${insurer.arrivals.size} arrivals, at the end ${counts.join(", ")} (unknown: needs review), ${faults.length} faults; CHAOS_SEED=${seed} repeats them\n`,
  );
}
