import { runCommand, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { expect, it } from "vitest";

it("the command `lookups drop` deletes the gateway's cached lookup answers, and fails if no gateway runs", async () => {
  const gateway = await startSandboxGateway();
  const isFromMemory = async (): Promise<boolean> => {
    const { headers, status } = await fetch(`${gateway.address}/provider-a/auto/brands`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(status).toBe(200);
    return headers.has("age");
  };
  expect([await isFromMemory(), await isFromMemory()]).toEqual([false, true]);
  const { pid } = gateway.process.child;
  const dropped = await runCommand(gateway.folder.path, ["lookups", "drop"]);
  expect(dropped).toMatchObject({ code: 0, stdout: `process ${pid}  1 answer dropped\n` });
  expect(await isFromMemory()).toBe(false);
  await gateway.process.stop();
  const { code, stderr } = await runCommand(gateway.folder.path, ["lookups", "drop"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("No gateway of this machine")]);
  gateway.folder.remove();
}, 60_000);
