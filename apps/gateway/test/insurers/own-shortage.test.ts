import { randomUUID } from "node:crypto";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { expect, it, onTestFinished, vi } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";

it("the gateway reports `OVERLOADED`, and counts no failure of the insurer, if the gateway has no free file descriptor", async () => {
  const provider = insurerConfiguration("d", "http://insurer.example");
  const gateway = await startInProcess({ providers: [provider] });
  onTestFinished(() => gateway.stop());
  const shortage = Object.assign(new Error("EMFILE"), { code: "EMFILE" });
  // `dns.lookup` has several overloads, so the type of its replacement needs the cast below.
  const fails = (_name: string, _options: object, answer: (error: Error) => void): void =>
    answer(shortage);
  vi.spyOn(dns, "lookup").mockImplementation(fails as never);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const path = "/provider-d/applications/search?clientAfm=123456789";
  const overloaded = { status: 503, code: "OVERLOADED", outcome: "not_sent", retry: "safe" };
  for (let count = 0; count < 6; count += 1)
    expect(await problemIn(await gateway.ask(path))).toMatchObject(overloaded);
  const submitted = await submitApplication(gateway, applicationBody());
  expect(submitted.headers.get("retry-after")).toBe("5");
  expect(await problemIn(submitted)).toMatchObject(overloaded);
  const keyed = { "idempotency-key": randomUUID() };
  for (let count = 0; count < 2; count += 1) {
    const again = await submitApplication(gateway, applicationBody("123456789"), keyed);
    expect(await problemIn(again)).toMatchObject(overloaded);
  }
  const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  expect(metrics).toContain('breaker_state{provider="provider-d",state="closed"} 1');
  expect(metrics).not.toMatch(/attempts_total\{.*result="failed"/);
});
