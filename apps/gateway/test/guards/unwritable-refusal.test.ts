import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createBodies } from "../../src/listener/body.ts";
import { createHandle } from "../../src/listener/handle.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { combine } from "../../src/observation/combine.ts";
import type { Answer, RequestSettings } from "../../src/pipeline.ts";

const unwritable: Answer = { status: 500, headers: { "x-name": "line\nbreak" }, content: "text" };

it("a refusal that cannot be written, in place of such an answer, ends the connection", async () => {
  const messages: unknown[] = [];
  let refusals = 0;
  const handle = createHandle({
    logger: createLogger({ write: (line) => void messages.push(JSON.parse(line).msg) }),
    observation: combine([]),
    delayedRejections: { hold: () => undefined },
    bodies: createBodies(() => 1_024, {
      open() {
        throw new TypeError("Nothing here has files");
      },
    }),
    addressOf: () => "127.0.0.1",
    // Neither the log nor this pipeline reads them.
    takeSettings: () => ({ value: {} as RequestSettings, release: () => {} }),
    pipeline: {
      handle: async () => unwritable,
      async refuse() {
        refusals += 1;
        if (refusals > 5) throw new TypeError("It never ends");
        return unwritable;
      },
    },
  });
  const server = createServer((request, response) => handle(request, response, 0));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  const handled = once(server, "request").then(([, response]) => once(response, "close"));
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow("fetch failed");
  await handled;
  expect(refusals).toBe(1);
  expect(messages).toEqual(["failed", "request"]);
});
