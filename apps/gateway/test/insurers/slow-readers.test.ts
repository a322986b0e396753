import { connect } from "node:net";
import { expect, it } from "vitest";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { startInsurer } from "../harness/insurer.ts";

const DOCUMENT = Buffer.concat([Buffer.from("%PDF-1.7"), Buffer.alloc(8 * 1024 * 1024, "x")]);

it("a document that its caller does not read frees its slot when the call's time limit ends", async () => {
  const insurer = await startInsurer((response, { url }) => {
    const isDocument = url.includes("ipid");
    response.writeHead(200, {
      "content-type": isDocument ? "application/pdf" : "application/json",
    });
    response.end(isDocument ? DOCUMENT : '{"items":[]}');
  });
  const provider = {
    ...insurerConfiguration("c", insurer.baseUrl),
    timeouts: { totalMs: 2_000 },
    bulkhead: { running: 1, queued: 1, queueMs: 20_000 },
    // One failure of the insurer opens the breaker. A caller that does not read must not count as such a failure.
    breaker: { failuresInRow: 1 },
  };
  const gateway = await startInProcess({ providers: [provider] });
  const { hostname, port } = new URL(gateway.address);
  const reader = connect(Number(port), hostname);
  const arrived = insurer.nextArrival();
  reader.write(
    `GET /provider-c/application/ipid?applicationId=C-0001 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.token}\r\n\r\n`,
  );
  await arrived;
  const usages = `${gateway.address}/provider-c/vehicle/usages`;
  const headers = { authorization: `Bearer ${gateway.token}` };
  // This call waits for the only slot. The time limit of the download ends before the time limit of this call.
  await fetch(usages, { headers });
  expect((await fetch(usages, { headers })).status).toBe(200);
  reader.destroy();
  await gateway.stop();
  await insurer.close();
});
