import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  DEVELOPMENT_ISSUER,
  type Insurer,
  insurerConfiguration,
  json,
  makeCertificate,
  nothingFound,
  startInsurer,
} from "./gateway.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

let insurer: Insurer;
let place: StoreFolder;
beforeAll(async () => {
  insurer = await startInsurer(nothingFound);
  place = await makeStoreFolder({
    providers: [
      insurerConfiguration("d", insurer.baseUrl),
      insurerConfiguration("a", insurer.baseUrl, {
        credentials: { type: "apiKey", header: "x-key", value: { env: "OWN_KEY" } },
      }),
    ],
    accounts: { claim: "broker" },
  });
  await run(["set"], JSON.stringify(given("n-1", "north")));
});
afterAll(async () => {
  await place.remove();
  await insurer.close();
});
beforeEach(() => {
  insurer.arrivals.length = 0;
});

function given(id: string, tenant: string, value: unknown = "s3cret"): object {
  return {
    id,
    segment: "provider-d",
    tenant: { issuer: DEVELOPMENT_ISSUER, name: tenant },
    credentials: { type: "apiKey", header: "x-key", value },
  };
}

const oauth2 = {
  type: "oauth2",
  tokenUrl: "https://login.example/token",
  clientId: "broker",
  clientSecret: { env: "NORTH" },
};

const run = (parameters: readonly string[], input = ""): ReturnType<StoreFolder["run"]> =>
  place.run(["accounts", ...parameters], {
    input,
    environment: { OWN_KEY: "own", NORTH: "n0rth" },
  });

/** Makes a folder with provider D and accounts in the configuration file; the end of the test removes the folder. */
async function makeFolderWith(list: readonly object[]): Promise<StoreFolder> {
  const providers = [insurerConfiguration("d", insurer.baseUrl)];
  const made = await makeStoreFolder({ providers, accounts: { claim: "broker", list } });
  onTestFinished(() => made.remove());
  return made;
}

/** Splits a printed table into rows of cells. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}

describe("accounts in the store", () => {
  it("the `accounts` commands add an account from standard input or a file, and list, change and remove stored accounts", async () => {
    const file = join(place.folder.path, "south.json");
    writeFileSync(file, JSON.stringify(given("s-1", "south", { env: "NORTH" })));
    const added = [
      await run(["set", file]),
      await run(["set"], JSON.stringify(given("w-1", "west"))),
    ];
    expect(added.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "s-1 is added.\n"],
      [0, "w-1 is added.\n"],
    ]);
    expect((await run(["remove", "w-1"])).stdout).toBe("w-1 is removed.\n");
    const [head, ...rows] = rowsOf((await run(["list"])).stdout);
    expect(head).toEqual(["id", "segment", "tenant", "issuer", "kept in", "changed", "expires"]);
    const changed = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(rows).toEqual([
      ["n-1", "provider-d", "north", DEVELOPMENT_ISSUER, "store", changed, "-"],
      ["s-1", "provider-d", "south", DEVELOPMENT_ISSUER, "store", changed, "-"],
    ]);
    await run(["verify", "s-1"]);
    expect(insurer.arrivals.map(({ headers }) => headers["x-key"])).toEqual(["n0rth"]);
    const again = await run(["set"], JSON.stringify(given("s-1", "south", "new")));
    expect(again.stdout).toBe("s-1 is changed.\n");
    await run(["verify", "s-1"]);
    expect(insurer.arrivals.at(-1)?.headers["x-key"]).toBe("new");
    expect((await run(["remove", "s-1"])).stdout).toBe("s-1 is removed.\n");
    const { stdout } = await run(["list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ id: "n-1", segment: "provider-d" }]);
  });

  it.each([
    [["set"], "{ s3cret", 1, "The account is not JSON."],
    [["set"], JSON.stringify(given("n-2", "t", { env: "NOT_SET" })), 1, "NOT_SET"],
    [["set"], JSON.stringify({ ...given("n-2", "t"), segment: "s" }), 1, "segment"],
    [
      ["set"],
      JSON.stringify({
        ...given("n-2", "t"),
        tenant: { issuer: "https://typo.example", name: "t" },
      }),
      1,
      DEVELOPMENT_ISSUER,
    ],
    [["set", "nowhere.json"], "", 1, "nowhere.json"],
    [["remove", "n-9"], "", 1, "n-9"],
    [["remove"], "", 2, "missing required argument 'id'"],
    [["verify", "n-9", "n-1", "n-8"], "", 2, "There is no account n-9, n-8."],
  ])(
    "an `accounts` command refuses invalid input and prints no secret of the input: %j with the input %j",
    async (parameters, input, code, words) => {
      const ended = await run(parameters, input);
      expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(words)]);
      expect(ended.stdout + ended.stderr).not.toContain("s3cret");
      expect(insurer.arrivals).toEqual([]);
    },
  );
});

it("the command `accounts set` refuses a token server's address that does not begin with https in production", async () => {
  const credentials = { ...oauth2, tokenUrl: "http://login.example/token" };
  const { code, stderr } = await place.run(["accounts", "set"], {
    input: JSON.stringify({ ...given("n-3", "third"), credentials }),
    environment: { NODE_ENV: "production", OWN_KEY: "own", NORTH: "n0rth" },
  });
  expect(code).toBe(1);
  expect(stderr).toContain("credentials.tokenUrl: must be https");
});

describe("the command `accounts verify`", () => {
  const columns = ["account", "segment", "tenant", "called", "state", "ms"];
  const took = expect.stringMatching(/^\d+$/);
  const good = ["n-1", "provider-d", "north", "searchApplications", "usable", took];

  it("the command `accounts verify` tests the tenants' accounts, and the default account of each provider with credentials", async () => {
    insurer.behaviour = (response, arrival) =>
      arrival.url.includes("brands")
        ? json(200, { items: [] })(response, arrival)
        : nothingFound(response, arrival);
    const { code, stderr, stdout } = await place.run(["accounts", "verify"], {
      terminal: true,
      environment: { OWN_KEY: "own" },
    });
    const text = stdout.replaceAll("\u001b[1m", "").replaceAll("\u001b[22m", "");
    expect([code, rowsOf(text)]).toEqual([
      0,
      [columns, ["default", "provider-a", "-", "listBrands", "usable", took], good],
    ]);
    expect(insurer.arrivals.map(({ headers }) => String(headers["x-key"])).toSorted()).toEqual([
      "own",
      "s3cret",
    ]);
    expect(stderr).toMatch(/1 of 2 accounts/);
    expect(stderr.endsWith("\r\u001b[2K")).toBe(true);
  });

  it("the command `accounts verify` tests an account that the command line names, even if no call uses the account", async () => {
    insurer.behaviour = nothingFound;
    const { stdout } = await run(["verify", "n-1", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ id: "n-1", state: "usable" }]);
    const own = await run(["verify", "default", "--json"]);
    expect(JSON.parse(own.stdout).map(({ segment }: { segment: string }) => segment)).toEqual([
      "provider-d",
      "provider-a",
    ]);
  });

  it.each([
    ["PROVIDER_AUTH_FAILED", json(401, {})],
    ["PROVIDER_BAD_RESPONSE", json(200, { items: 7 })],
  ])(
    "the command `accounts verify` prints the fault of an unusable account and fails: %s",
    async (fault, behaviour) => {
      insurer.behaviour = behaviour;
      const { code, stdout } = await run(["verify", "n-1"]);
      expect([code, rowsOf(stdout)]).toEqual([
        1,
        [
          columns,
          good.with(4, "unusable"),
          [expect.stringContaining(`n-1 at provider-d: ${fault}. `)],
        ],
      ]);
    },
  );
});

it("the command `accounts verify` tests the default account of each provider if `accounts.claim` is not set", async () => {
  insurer.behaviour = nothingFound;
  const credentials = [
    { type: "apiKey", header: "x-key", value: { env: "OWN_KEY" } },
    { type: "apiKey", header: "x-other", value: { env: "NORTH" } },
  ];
  const own = await makeStoreFolder({
    providers: [
      insurerConfiguration("d", insurer.baseUrl),
      { ...insurerConfiguration("d", insurer.baseUrl, { credentials }), segment: "second" },
    ],
  });
  const environment = { OWN_KEY: "own", NORTH: "n0rth" };
  onTestFinished(() => own.remove());
  const { code, stdout } = await own.run(["accounts", "verify"], { environment });
  expect([code, rowsOf(stdout).map((row) => row.slice(0, 5))]).toEqual([
    0,
    [
      ["account", "segment", "tenant", "called", "state"],
      ["default", "provider-d", "-", "searchApplications", "usable"],
      ["default", "second", "-", "searchApplications", "usable"],
    ],
  ]);
});

describe("accounts in the configuration file", () => {
  it("the `accounts` commands can list and verify an account of the configuration file, but not change or remove the account", async () => {
    const providers = [insurerConfiguration("d", insurer.baseUrl)];
    const list = [given("n-1", "north", { env: "NORTH" })];
    const file = await makeFolderWith(list);
    const environment = { NORTH: "n0rth" };
    insurer.behaviour = nothingFound;
    const inFile = (...parameters: readonly string[]): ReturnType<StoreFolder["run"]> =>
      file.run(["accounts", ...parameters], {
        environment,
        input: JSON.stringify(given("n-1", "north")),
      });
    const listed = await inFile("list");
    const verified = await inFile("verify", "--json");
    file.folder.writeConfiguration({ providers });
    const none = await inFile("list");
    file.folder.writeConfiguration({ providers, accounts: { claim: "broker", list } });
    const refused = [await inFile("set"), await inFile("remove", "n-1")];
    expect(none.stdout).toBe("There are no accounts.\n");
    const row = ["n-1", "provider-d", "north", DEVELOPMENT_ISSUER, "file", "-", "-"];
    expect(rowsOf(listed.stdout)[1]).toEqual(row);
    expect(JSON.parse(verified.stdout)).toMatchObject([{ id: "n-1", state: "usable" }]);
    const fault = expect.stringContaining("must be changed in the configuration file");
    for (const ended of refused) expect(ended).toMatchObject({ code: 1, stderr: fault });
  });

  it.each([
    ["a missing decryption key", "submissions.key", {}],
    ["a missing store", "", {}],
    ["a database that cannot be reached", "", { DATABASE_URL: "postgres://127.0.0.1:1/gateway" }],
  ])(
    "the `accounts` commands print a warning and use only the configuration file if the store cannot be used: %s",
    async (_, removed, more) => {
      const own = await makeFolderWith([given("n-1", "north", { env: "NORTH" })]);
      await own.stopServing();
      rmSync(join(own.folder.path, "data", removed), { recursive: true });
      insurer.behaviour = nothingFound;
      const options = { environment: { NORTH: "n0rth", ...more } };
      const ended = [
        await own.run(["accounts", "list", "--json"], options),
        await own.run(["accounts", "verify", "--json"], options),
      ];
      const warning = expect.stringContaining("Only accounts of the configuration file are known.");
      for (const one of ended) expect(one).toMatchObject({ code: 0, stderr: warning });
      const [listed, verified] = ended.map(({ stdout }) => JSON.parse(stdout));
      expect(listed).toMatchObject([{ id: "n-1", keptIn: "file" }]);
      expect(verified).toMatchObject([{ id: "n-1", state: "usable" }]);
    },
  );
});

it("the command `accounts list` shows when the client certificate of an account expires", async () => {
  const [inFile, inStore] = await Promise.all([makeCertificate(2031), makeCertificate(2032)]);
  const withClient = (id: string, certificate: unknown, key: unknown): object => ({
    ...given(id, id),
    credentials: { ...oauth2, tls: { client: { certificate, key } } },
  });
  const own = await makeFolderWith([
    withClient("n-1", { env: "CERTIFICATE" }, { env: "KEY" }),
    withClient("n-2", { env: "NOT_SET" }, { env: "NOT_SET" }),
  ]);
  const environment = { NORTH: "n0rth", CERTIFICATE: inFile.cert, KEY: inFile.key };
  const input = JSON.stringify(withClient("s-1", inStore.cert, inStore.key));
  await own.run(["accounts", "set"], { environment, input });
  const { stdout } = await own.run(["accounts", "list", "--json"], { environment });
  expect(JSON.parse(stdout)).toMatchObject([
    { id: "n-1", keptIn: "file", expiresAt: "2031-01-01T00:00:00.000Z" },
    { id: "n-2", keptIn: "file", expiresAt: null },
    { id: "s-1", keptIn: "store", expiresAt: "2032-01-01T00:00:00.000Z" },
  ]);
});
