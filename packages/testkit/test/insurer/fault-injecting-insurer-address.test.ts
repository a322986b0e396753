import { expect, it } from "vitest";
import { openAddress, portsToKeep } from "../../src/insurer/address.ts";
import { failureOf, submit } from "../harness/calls.ts";
import { startInsurer } from "../harness/started-insurer.ts";

function portOf(baseUrl: string): number {
  return Number(new URL(baseUrl).port);
}

function somePorts(): readonly number[] {
  const ports = portsToKeep();
  return Array.from({ length: 20 }, () => ports.next().value);
}

it.each([undefined, 0])(
  "the default port of a test insurer is outside the range that operating systems assign: port option %s",
  async (port) => {
    for (let count = 0; count < 5; count++) {
      const { baseUrl } = await startInsurer(port === undefined ? {} : { port });
      expect(portOf(baseUrl)).toBeGreaterThanOrEqual(20_000);
      expect(portOf(baseUrl)).toBeLessThan(32_768);
    }
  },
);

it("a test insurer listens on the configured port", async () => {
  const first = await startInsurer();
  await first.close();
  const second = await startInsurer({ port: portOf(first.baseUrl) });
  expect(second.baseUrl).toBe(first.baseUrl);
  expect((await submit(second.baseUrl)).status).toBe(201);
});

it("a test insurer listens on another port if the first port is in use", async () => {
  const { baseUrl } = await startInsurer();
  const ports = [portOf(baseUrl), ...somePorts()];
  const address = await openAddress(ports, (socket) => void socket.destroy());
  expect(ports.slice(1)).toContain(portOf(address.baseUrl));
  await address.refuse();
});

it("a test insurer tries another port only if the system reports that the port is in use", async () => {
  const serve = (): void => undefined;
  expect(await failureOf(openAddress([65_536, ...somePorts()], serve))).toMatchObject({
    code: "ERR_SOCKET_BAD_PORT",
  });
});
