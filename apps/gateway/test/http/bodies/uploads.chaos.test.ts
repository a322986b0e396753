import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createGateway } from "@insurance-gateway/core";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeFolderWithProvider } from "../../harness/provider-package.ts";
import { residentMegabytesOf } from "../../soak/footprint.ts";
import { providerM } from "./provider-m.ts";

const MEGABYTE = 1_048_576;
const FILE_MEGABYTES = 10;
const AT_ONCE = 8;
const ROUNDS = 5;
const WARM_UP_ROUNDS = 3;
/** Maximum growth of the memory in megabytes. A gateway that held the files of a round in memory would need more. */
const MOST_GROWTH_MEGABYTES = AT_ONCE * FILE_MEGABYTES;

let server: Server;
let folder: GatewayFolder;
let gateway: GatewayProcess;
let token: string;
/** The digests of all bodies that have reached the insurer. */
const digests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const digest = createHash("sha256");
    request.on("data", (piece: Buffer) => digest.update(piece));
    request.once("end", () => {
      digests.push(digest.digest("hex"));
      response.writeHead(200, { "content-type": "application/json" }).end('{"done":true}');
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  folder = makeFolderWithProvider("provider-m", new URL("provider-m.ts", import.meta.url));
  const upstream = { baseUrl: `http://127.0.0.1:${port}`, credentials: { type: "none" } };
  // The caller and the insurer also use this machine. The gateway must not shed load while the machine is busy.
  const overload = { eventLoopDelayMs: 3_600_000 };
  folder.writeConfiguration({ providers: [{ package: "provider-m", upstream }], overload });
  gateway = await startGatewayProcess(folder.path);
  token = await developmentToken(folder.path);
});
afterAll(async () => {
  await gateway.stop();
  server.closeAllConnections();
  server.close();
  folder.remove();
});

it("the insurer receives 8 simultaneous uploads of 10 MB completely, and the gateway does not hold the uploads in memory", async () => {
  const { pid } = gateway.child;
  if (pid === undefined) throw new Error("The gateway has no process");
  const client = createGateway({ baseUrl: gateway.address, token });
  const content = randomBytes(FILE_MEGABYTES * MEGABYTE - 1_000);
  const upload = (count: number): PromiseLike<unknown> =>
    client.call(providerM.endpoints.addEvidence, {
      params: { claimId: String(count) },
      body: {
        note: `photo ${count}`,
        place: { reason: "x" },
        photo: { mediaType: "image/png", content },
      },
    });
  const uploadRound = (round: number): Promise<unknown> =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, one) => upload(round * 100 + one)));
  // The process grows in the first rounds and then keeps its size, so the first rounds are not measured.
  for (let round = 1; round <= WARM_UP_ROUNDS; round++) await uploadRound(round);
  const before = residentMegabytesOf(pid);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMegabytesOf(pid));
  }, 10);
  const begun = performance.now();
  for (let round = 1; round <= ROUNDS; round++) await uploadRound(WARM_UP_ROUNDS + round);
  const seconds = (performance.now() - begun) / 1_000;
  clearInterval(watching);
  process.stdout.write(
    `uploads: ${ROUNDS * AT_ONCE} of ${FILE_MEGABYTES} MB in ${seconds.toFixed(1)} s, ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at the most\n`,
  );
  await client.close();
  expect(digests).toHaveLength((WARM_UP_ROUNDS + ROUNDS) * AT_ONCE);
  expect(most - before).toBeLessThan(MOST_GROWTH_MEGABYTES);
  // The gateway removes the files after the answer.
  await expect.poll(() => readdirSync(join(folder.path, "data", "uploads"))).toEqual([]);
});
