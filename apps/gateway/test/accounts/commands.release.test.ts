import { spawn } from "node:child_process";
import { userInfo } from "node:os";
import {
  type Ended,
  endOf,
  makeGatewayFolder,
  programEnvironment,
  runCommand,
} from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { DEVELOPMENT_ISSUER } from "../../src/configuration/account-check.ts";
import { CLAIM, KEY_HEADER, keyIn } from "../harness/brokers.ts";
import { program } from "../harness/command-line.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { startInsurer } from "../harness/insurer.ts";
import { nothingFound } from "../harness/site.ts";

it("the `accounts` commands set, verify, list and remove an account, and print no secret", async () => {
  const insurer = await startInsurer(nothingFound);
  onTestFinished(() => insurer.close());
  const configuration = {
    providers: [insurerConfiguration("d", insurer.baseUrl)],
    accounts: { claim: CLAIM },
  };
  const folder = makeGatewayFolder(configuration);
  onTestFinished(() => folder.remove());
  // The gateway creates the store when it starts for the first time.
  await (await startInProcess(configuration, {}, { folder })).end();
  const set = (value: string): Promise<Ended> => {
    const child = spawn(process.execPath, [program, "accounts", "set"], {
      cwd: folder.path,
      env: programEnvironment(),
    });
    child.stdin.end(
      JSON.stringify({
        id: "n-1",
        segment: "provider-d",
        tenant: { issuer: DEVELOPMENT_ISSUER, name: "north" },
        credentials: { type: "apiKey", header: KEY_HEADER, value },
      }),
    );
    return endOf(child);
  };
  const run = (...words: readonly string[]): Promise<Ended> =>
    runCommand(folder.path, ["accounts", ...words]);
  const ended = [
    await set("s3cret-before"),
    await set("s3cret-after"),
    await run("verify"),
    await run("list", "--json"),
    await run("remove", "n-1"),
    await run("changes", "--json"),
  ];
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, ""]));
  const [added, changed, verified, listed, , changes] = ended.map(({ stdout }) => stdout);
  expect([added, changed]).toEqual(["n-1 is added.\n", "n-1 is changed.\n"]);
  // The configuration has no credentials for the provider, so the provider has no default account.
  expect(verified).not.toContain("default");
  expect(verified).toMatch(/^n-1 +provider-d +north +searchApplications +usable +\d+$/m);
  expect(insurer.arrivals.map(keyIn)).toEqual(["s3cret-after"]);
  expect(JSON.parse(listed ?? "")).toMatchObject([{ id: "n-1", tenant: { name: "north" } }]);
  const by = userInfo().username;
  expect(JSON.parse(changes ?? "")).toMatchObject(
    ["removed", "changed", "added"].map((action) => ({ by, action, account: "n-1" })),
  );
  expect(JSON.stringify(ended)).not.toContain("s3cret");
});
