import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { type GenerateResult, generate } from "selfsigned";
import { expect, it, onTestFinished } from "vitest";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { reloadNow, reloadWhenSettled } from "./settled.ts";

const named = (name: string): Promise<GenerateResult> =>
  generate([{ name: "commonName", value: name }]);

it.each([
  ["callers' address", "listen", 401],
  ["operations address", "operations", 404],
] as const)(
  "the %s uses a new certificate as soon as the certificate's key is also new, and open connections continue",
  async (_, address, status) => {
    const [old, renewed] = [await named("old"), await named("renewed")];
    const folder = makeGatewayFolder();
    const write = (file: string, text: string): void =>
      writeFileSync(join(folder.path, file), text);
    write("gateway.pem", old.cert);
    write("gateway.key", old.private);
    const time = holdTime();
    const gateway = await startInProcess(
      {
        overload: { eventLoopDelayMs: 3_600_000 },
        providers: [insurerConfiguration("a", "http://127.0.0.1:9")],
        [address]: { tls: { certificate: { file: "gateway.pem" }, key: { file: "gateway.key" } } },
      },
      {},
      { folder, time },
    );
    onTestFinished(() => gateway.stop());
    const open = async (): Promise<TLSSocket> => {
      const addresses = { listen: gateway.address, operations: gateway.operationsAddress };
      const { port } = new URL(addresses[address]);
      const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false });
      await once(socket, "secureConnect");
      onTestFinished(() => void socket.destroy());
      return socket;
    };
    const shown = async (): Promise<unknown> => (await open()).getPeerCertificate().subject.CN;
    const kept = await open();
    expect(kept.getPeerCertificate().subject.CN).toBe("old");

    write("gateway.pem", renewed.cert);
    expect(await reloadNow(gateway, time)).toEqual({
      result: "refused",
      faults: [`${address}.tls: the key must belong to the certificate`],
    });
    expect(await shown()).toBe("old");

    write("gateway.key", renewed.private);
    await reloadWhenSettled(time);
    expect(await shown()).toBe("renewed");
    kept.write(`GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const [answer] = await once(kept, "data");
    expect(String(answer)).toContain(`HTTP/1.1 ${status} `);
  },
);
