import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGateway, type Gateway, type SubmissionResult } from "@insurance-gateway/core";
import { fileKeyStore } from "@insurance-gateway/core/node";
import {
  type Application,
  createApplication,
  type MotorApplication,
} from "@insurance-gateway/provider-d";
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { type FaultyGateway, startFaultyGateway } from "../harness/faulty-gateway.ts";
import type { CrashPlan } from "./application-process.ts";

let gateway: FaultyGateway;
let client: Gateway;
let folder: string;

beforeAll(async () => {
  gateway = await startFaultyGateway({}, {}, 30_000);
  client = createGateway({ baseUrl: gateway.address, token: gateway.token });
  folder = await mkdtemp(join(tmpdir(), "crash-"));
});
afterEach(() => gateway.insurer.behave(null));
afterAll(async () => {
  await client.close();
  await gateway.stop();
  await rm(folder, { recursive: true });
});

/** Function that forwards all or some bytes of a chunk to a connection. */
type Pass = (chunk: Buffer, to: Socket) => unknown;
const all: Pass = (chunk, to) => to.write(chunk);
const half: Pass = (chunk, to) => to.write(chunk.subarray(0, chunk.length / 2));
const none: Pass = () => undefined;

/** Connection from the calling program to the gateway: how bytes are forwarded, and when the program is killed. */
interface Wire {
  readonly request: Pass;
  readonly answer: Pass;
  readonly killAfter: "request" | "answer" | null;
}
const open: Wire = { request: all, answer: all, killAfter: null };

/** Starts a proxy before the gateway, and returns its address. */
async function startProxy(wire: Wire, kill: () => void): Promise<string> {
  const target = new URL(gateway.address);
  const server = createServer((from) => {
    const to = connect(Number(target.port), target.hostname);
    const pass = (direction: "request" | "answer", source: Socket, sink: Socket): void => {
      source.on("error", () => undefined);
      source.on("close", () => sink.destroy());
      source.on("data", (chunk) => {
        wire[direction](chunk, sink);
        if (wire.killAfter === direction) kill();
      });
    };
    pass("request", from, to);
    pass("answer", to, from);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

const program = fileURLToPath(new URL("application-process.ts", import.meta.url));
const newBody = (): MotorApplication => applicationBody() as MotorApplication; // the specification's own

/** Starts a calling program that submits an application, and kills the program. Returns the program's plan. */
async function crash(
  point: string,
  wire: Wire,
  killed: (() => Promise<unknown>) | null,
): Promise<CrashPlan> {
  let kill = (): void => undefined;
  const plan: CrashPlan = {
    address: await startProxy(wire, () => kill()),
    token: gateway.token,
    body: newBody(),
    key: `case ${point}`.replaceAll(" ", "-"),
    folder: join(folder, point),
    dieAt: point,
  };
  const arrived = killed?.();
  const child = spawn(
    process.execPath,
    ["--conditions=@insurance-gateway/source", "--no-warnings", program, JSON.stringify(plan)],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  kill = () => void child.kill("SIGKILL");
  void arrived?.then(kill);
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  return plan;
}

const arrivals = (): number => gateway.insurer.arrivals().length;

/** Resumes the submissions of the stored keys, and expects that the insurer receives no request. */
async function resume(plan: CrashPlan): Promise<SubmissionResult<Application>[]> {
  const before = arrivals();
  const resumed = await client.resume(fileKeyStore(plan.folder), [createApplication]);
  expect(arrivals()).toBe(before);
  return resumed.map(({ result }) => result);
}

function applicationsOf({ body }: CrashPlan): number {
  return gateway.records.filter((one) => JSON.stringify(one).includes(body.holder.afm)).length;
}

const notSent = [{ outcome: "not_sent", retry: "same_key" }];
const succeeded = [{ outcome: "succeeded", replayed: true }];

it.each<[string, Wire, readonly object[]]>([
  ["before the key is stored", open, []],
  ["while the key is stored", open, []],
  ["after the key is stored", open, notSent],
  ["before the request is sent", open, notSent],
  ["before the request arrives", { ...open, request: none, killAfter: "request" }, notSent],
  ["while the request arrives", { ...open, request: half, killAfter: "request" }, notSent],
  ["before the answer arrives", { ...open, answer: none, killAfter: "answer" }, succeeded],
  ["while the answer arrives", { ...open, answer: half, killAfter: "answer" }, succeeded],
  ["before the result is saved", open, succeeded],
  ["after the key is removed", open, []],
])(
  "the client's `resume` reports the true result after the calling program was killed %s",
  async (point, wire, expected) => {
    const plan = await crash(point, wire, null);
    const isCarriedOut = applicationsOf(plan) === 1;
    expect(await resume(plan)).toMatchObject(expected);
    // If the caller repeats the submission with its key, there is one application, even if the insurer had created the
    // application before.
    const { body, key } = plan;
    const again = await client.submit(createApplication, { body, key });
    expect(again).toMatchObject({ outcome: "succeeded", replayed: isCarriedOut });
    expect(applicationsOf(plan)).toBe(1);
  },
);

it("the client's `resume` reports `unknown` and later the result if the calling program was killed after the insurer's execution", async () => {
  const release = gateway.holdAnswers();
  const plan = await crash("after the insurer acted", open, () => gateway.insurer.nextArrival());
  const [result] = await resume(plan);
  if (result?.outcome !== "unknown") throw new Error(`It is ${result?.outcome}`);
  const resolved = result.error.resolve();
  release();
  expect(await resolved).toMatchObject({ outcome: "succeeded", key: plan.key });
  expect(applicationsOf(plan)).toBe(1);
});

it("the client's `resume` reports `unknown` and sends nothing if the calling program was killed while waiting for the insurer", async () => {
  await gateway.insurer.behave("silence");
  const plan = await crash("while the insurer is silent", open, () =>
    gateway.insurer.nextArrival(),
  );
  const submissionId = expect.any(String);
  expect(await resume(plan)).toMatchObject([{ outcome: "unknown", submissionId }]);
  // The gateway stops only after the insurer's connection is closed.
  await gateway.insurer.behave("refuse");
});
