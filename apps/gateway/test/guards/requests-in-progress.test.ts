import { once } from "node:events";
import { Agent, type ClientRequest, request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type HeldListener, startHeldListener } from "./held-listener.ts";

/** More than may be in progress at a time, unless none of them ends. */
const MANY = 200;

let listener: HeldListener;
let agent: Agent;
/** Ends the delay of rejections. */
let over: PromiseWithResolvers<void>;
let open: ClientRequest[];

beforeEach(async () => {
  over = Promise.withResolvers();
  listener = await startHeldListener({ holdRefusal: () => over.promise });
  agent = new Agent();
  open = [];
});
afterEach(async () => {
  for (const one of open) one.destroy();
  agent.destroy();
  over.resolve();
  await listener.drain();
});

/** Sends many requests that the test does not end, and does not read the answers. */
async function sendMany(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const sent = Array.from({ length: MANY }, () => {
    const one = request(listener.address + path, { method: "POST", headers, agent });
    one.on("error", () => {});
    one.on("response", (response) => response.pause());
    one.flushHeaders();
    return one;
  });
  open.push(...sent);
  await Promise.all(sent.map((one) => once(one, "socket")));
}

const empty = { "content-length": "0" };

it.each<readonly [string, () => Promise<void>]>([
  ["calls of insurers", () => sendMany("/insurer", empty)],
  ["bodies that do not come", () => sendMany("/body", { "content-length": "5" })],
  ["rejections that are delayed", () => sendMany("/refused", empty)],
  [
    "answers that nobody reads",
    async () => {
      await sendMany("/long", empty);
      const piece = "x".repeat(65_536);
      for (let number = 0; number < MANY; number += 1)
        (await listener.nextRequest()).answer(...Array<string>(100).fill(piece));
    },
  ],
])("beside 200 %s, a request is answered", async (_, begin) => {
  await begin();
  const answer = await fetch(`${listener.address}/now`);
  expect(await answer.text()).toBe("now");
});
