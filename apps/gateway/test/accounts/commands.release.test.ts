import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Ended,
  endOf,
  type GatewayFolder,
  makeGatewayFolder,
  programEnvironment,
  runCommand,
} from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DEVELOPMENT_ISSUER } from "../../src/callers/development-issuer.ts";
import { nothingFound } from "../configuration/effects.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { CLAIM, KEY_HEADER, keyIn } from "./brokers.ts";

let insurer: Insurer;
let folder: GatewayFolder;
const configuration = (): object => ({
  providers: [insurerConfiguration("d", insurer.baseUrl)],
  accounts: { claim: CLAIM, keptIn: "store" },
});
beforeEach(async () => {
  insurer = await startInsurer(nothingFound);
  folder = makeGatewayFolder(configuration());
});
afterEach(async () => {
  folder.remove();
  await insurer.close();
});

const program = fileURLToPath(new URL("../../bin/insurance-gateway.js", import.meta.url));

/** Runs `accounts` with something on its standard input. */
function withInput(input: string, ...parameters: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, "accounts", ...parameters], {
    cwd: folder.path,
    env: programEnvironment(),
  });
  child.stdin.end(input);
  return endOf(child);
}

function given(value: unknown): object {
  return {
    id: "n-1",
    segment: "provider-d",
    tenant: { issuer: DEVELOPMENT_ISSUER, name: "north" },
    credentials: { type: "apiKey", header: KEY_HEADER, value },
  };
}

async function keyAtInsurer(): Promise<string> {
  const gateway = await startInProcess(configuration(), {}, { folder });
  const token = await gateway.tokenFor("tester", { [CLAIM]: "north" });
  const path = "/provider-d/applications/search?clientAfm=123456789";
  await fetch(gateway.address + path, { headers: { authorization: `Bearer ${token}` } });
  await gateway.end();
  return insurer.arrivals.map(keyIn).at(-1) ?? "none";
}

/** Fails when a command has printed a secret: each has s3cret in it. */
function printsNoSecret(...ended: readonly Ended[]): void {
  for (const { stderr, stdout } of ended) expect(stdout + stderr).not.toContain("s3cret");
}

async function makeStore(): Promise<void> {
  // The store is there once a gateway has served from it.
  await (await startInProcess(configuration(), {}, { folder })).end();
}

it("accounts are added, listed and removed by commands, which print no secret", async () => {
  await makeStore();
  const added = await withInput(JSON.stringify(given("s3cret")), "add");
  expect([added.code, added.stdout]).toEqual([0, "n-1 is added.\n"]);
  const listed = await runCommand(folder.path, ["accounts", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "n-1", tenant: { name: "north" } }]);
  const removed = await runCommand(folder.path, ["accounts", "remove", "n-1"]);
  expect([removed.code, removed.stdout]).toEqual([0, "n-1 is removed.\n"]);
  const changes = await runCommand(folder.path, ["accounts", "changes", "--json"]);
  const by = userInfo().username;
  expect(JSON.parse(changes.stdout)).toMatchObject([
    { by, action: "removed", account: "n-1" },
    { by, action: "added", account: "n-1" },
  ]);
  printsNoSecret(added, listed, removed, changes);
});

it("accounts get new credentials by a command", async () => {
  await makeStore();
  await withInput(JSON.stringify(given("s3cret-before")), "add");
  writeFileSync(join(folder.path, "north.txt"), "s3cret-after\n");
  const { credentials } = Object(given({ file: "north.txt" }));
  writeFileSync(join(folder.path, "new.json"), JSON.stringify({ credentials }));
  const rotated = await runCommand(folder.path, ["accounts", "rotate", "n-1", "new.json"]);
  expect(rotated.code).toBe(0);
  expect(await keyAtInsurer()).toBe("s3cret-after");
  printsNoSecret(rotated);
});

it("what is wrong is refused, and no secret is quoted", async () => {
  await makeStore();
  const refused = await Promise.all([
    withInput("{ s3cret", "add"),
    withInput(JSON.stringify(given({ env: "NOT_SET" })), "add"),
    withInput(JSON.stringify({ ...given("s3cret"), segment: "s" }), "add"),
    runCommand(folder.path, ["accounts", "remove", "n-2"]),
  ]);
  expect(refused.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  printsNoSecret(...refused);
});

it("accounts are verified by a command, each with its own credentials", async () => {
  await makeStore();
  await withInput(JSON.stringify(given("s3cret")), "add");
  const verified = await runCommand(folder.path, ["accounts", "verify"]);
  // The provider has no credentials of its own, so that no call uses them.
  expect(verified.stdout).not.toContain("default");
  expect(verified.stdout).toMatch(
    /^n-1 +provider-d +north +searchApplications +yes +yes +yes +\d+$/m,
  );
  expect(verified.code).toBe(0);
  insurer.behaviour = json(401, {});
  const refused = await runCommand(folder.path, ["accounts", "verify", "n-1", "--json"]);
  expect(JSON.parse(refused.stdout)).toMatchObject([
    { id: "n-1", reachable: true, authenticated: false, code: "PROVIDER_AUTH_FAILED" },
  ]);
  expect(refused.code).toBe(1);
  const unknown = await runCommand(folder.path, ["accounts", "verify", "n-2"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, "There is no account n-2.\n"]);
  printsNoSecret(verified, refused);
});

it("accounts in the configuration file are listed, and changed nowhere else", async () => {
  const list = [given({ env: "NORTH_KEY" })];
  folder.writeConfiguration({ ...configuration(), accounts: { claim: CLAIM, list } });
  const listed = await runCommand(folder.path, ["accounts", "list"], { NORTH_KEY: "k" });
  expect(listed.stdout).toContain("n-1");
  const refused = await withInput(JSON.stringify(given("k")), "add");
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain("accounts.keptIn");
});
