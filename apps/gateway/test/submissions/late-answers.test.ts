import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ISSUER } from "../accounts/provider-m.ts";
import { applicationBody, listedApplication, submitApplication } from "../harness/applications.ts";
import { account, CLAIM, environmentOf } from "../harness/brokers.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";

/** An insurer whose answers the test sets, for all connections together. */
const world = {
  /** Answers to the requests that the insurer receives, in order. */
  answers: [] as readonly string[],
  sockets: [] as Socket[],
};
const body = applicationBody();
const at = new Date().toISOString();

function created(applicationId: string): string {
  const times = { createdAt: at, updatedAt: at };
  const text = JSON.stringify(listedApplication(body, { applicationId, ...times }));
  return [
    "HTTP/1.1 201 Created",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n");
}

/** Calls `take` for each complete request on a connection. */
function eachRequest(socket: Socket, take: () => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    const end = received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = received.toString("latin1", 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    received = Buffer.alloc(0);
    take();
  });
}

const insurer = createServer((socket) => {
  socket.on("error", () => {});
  eachRequest(socket, () => {
    socket.write(world.answers[world.sockets.length] ?? "");
    world.sockets.push(socket);
  });
});
let gateway: GatewayInProcess;

beforeEach(async () => {
  world.sockets = [];
  insurer.listen(0, "127.0.0.1");
  await once(insurer, "listening");
  const address = insurer.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const broker = (id: string): object => account(id, id, { issuer: ISSUER, segment: "provider-d" });
  gateway = await startInProcess(
    {
      providers: [insurerConfiguration("d", `http://127.0.0.1:${port}`)],
      accounts: { claim: CLAIM, list: [broker("north"), broker("south")] },
    },
    environmentOf(["north", "south"]),
  );
});
afterEach(async () => {
  await gateway.stop();
  for (const socket of world.sockets) socket.destroy();
  insurer.close();
  await once(insurer, "close");
});

async function submitFor(broker: string): Promise<Response> {
  const token = await gateway.tokenFor(`agent of ${broker}`, { [CLAIM]: broker });
  const headers = { "idempotency-key": randomUUID() };
  return submitApplication({ address: gateway.address, token }, body, headers);
}

describe("late copies of the answer to an equal submission", () => {
  it("the gateway reports `unknown` if the connection delivers a late copy of an earlier answer to the same broker", async () => {
    world.answers = [created("D-000001"), created("D-000001") + created("D-000002")];
    expect((await submitFor("north")).status).toBe(201);
    const second = await submitFor("north");
    expect(world.sockets[1] === world.sockets[0]).toBe(true);
    const problem = await problemIn(second);
    expect(problem).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(JSON.stringify(problem)).not.toContain("D-000001");
  });

  it("the gateway does not use a connection for one broker after a submission of another broker", async () => {
    world.answers = ["north", "south", "north"].map((_, index) => created(`D-00000${index}`));
    for (const broker of ["north", "south", "north"])
      expect((await submitFor(broker)).status).toBe(201);
    const [first, second, third] = world.sockets;
    expect([second === first, third === first]).toEqual([false, true]);
  });
});
