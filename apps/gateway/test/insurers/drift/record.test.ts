import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerOf, assertValid, jsonAnswerOf } from "@insurance-gateway/core/contract";
import { providerD } from "@insurance-gateway/provider-d";
import { sandbox } from "@insurance-gateway/provider-d/sandbox";
import { createSandboxServer, openRecords } from "@insurance-gateway/sandbox";
import { expect, it } from "vitest";
import { canaries, seeking } from "../../canaries/canary.ts";
import { runsIn } from "../../harness/command-line.ts";
import { insurerConfiguration, startInProcess } from "../../harness/gateway-in-process.ts";
import { holdTime } from "../../harness/held-time.ts";
import { type Behaviour, json, startInsurer } from "../../harness/insurer.ts";
import { declaredPage, soapAnswer, usagesWith } from "./insurer-contents.ts";

const { afm, fullName, plateNumber } = canaries;

type Scenario = NonNullable<typeof sandbox.recorded>[number];

const seek = seeking([afm, fullName, plateNumber]);

/** A call to record: the called endpoint, and the insurer's answer. */
interface Recorded {
  readonly letter: string;
  readonly endpoint: string;
  readonly path: string;
  readonly answer: Behaviour;
  /** Further settings of the provider in the gateway's configuration. */
  readonly upstream?: object;
}

/** Records one example, checks that the example and the store contain no customer data, and returns the scenario. */
async function record({ answer, endpoint, letter, path, upstream }: Recorded): Promise<Scenario> {
  const insurer = await startInsurer(answer);
  const time = holdTime();
  const gateway = await startInProcess(
    { providers: [insurerConfiguration(letter, insurer.baseUrl, upstream)] },
    {},
    { time },
  );
  try {
    const run = runsIn({ folder: gateway.folder.path, address: gateway.address });
    const out = join(gateway.folder.path, "recorded.json");
    const waits = Promise.withResolvers<void>();
    const from = ["--from", gateway.operationsAddress];
    const options = ["--count", "1", "--minutes", "1", "--out", out, ...from];
    const recording = run(["record", `provider-${letter}`, endpoint, ...options], {
      started: (child) => child.stderr?.once("data", () => waits.resolve()),
    });
    await Promise.race([waits.promise, recording]);
    expect((await gateway.ask(path)).status).toBe(200);
    expect((await recording).code).toBe(0);
    const text = readFileSync(out, "utf8");
    expect(seek(text)).toBeNull();
    for (const name of ["submissions.sqlite", "submissions.sqlite-wal"]) {
      const bytes = readFileSync(join(gateway.folder.path, "data", name)).toString("latin1");
      expect(seek(bytes), name).toBeNull();
    }
    return JSON.parse(text)[0];
  } finally {
    await gateway.stop();
    await insurer.close();
  }
}

it("the command `insurance-gateway record` writes scenarios that the sandbox can play, without data of customers", async () => {
  const [item] = Reflect.get(declaredPage, "items");
  const real = {
    ...item,
    applicationId: `D-${afm}`,
    vehicle: { ...item.vehicle, plateNumber, [fullName]: afm },
    holder: { afm, fullName },
    [afm]: fullName,
  };
  const header = encodeURIComponent(fullName);
  const scenario = await record({
    letter: "d",
    endpoint: "searchApplications",
    path: `/provider-d/applications/search?clientAfm=${afm}`,
    answer: json(200, { ...declaredPage, items: [real] }, { "x-customer": header }),
  });
  expect(scenario).toMatchObject({
    name: "RECORDED_SEARCH_APPLICATIONS_1",
    endpoint: "searchApplications",
    status: 200,
    body: { items: [{ status: "AWAITING_PAYMENT", premium: { currency: "AAA" } }] },
  });
  await playsIt(scenario);
});

it("a recorded scenario contains no names of elements and attributes from the insurer's XML", async () => {
  const scenario = await record({
    letter: "c",
    endpoint: "listVehicleUsages",
    path: "/provider-c/vehicle/usages",
    answer: json(200, soapAnswer(usagesWith([afm, fullName, plateNumber])), {
      "content-type": "text/xml; charset=utf-8",
    }),
    upstream: { adapter: undefined },
  });
  expect(scenario).toMatchObject({ endpoint: "listVehicleUsages", status: 200 });
});

/** Checks that a sandbox with a recorded scenario gives the recorded answer. */
async function playsIt(scenario: Scenario): Promise<void> {
  const { dialect: _, ...declared } = sandbox;
  const records = openRecords(":memory:");
  const server = createSandboxServer({
    sandboxes: [{ ...declared, recorded: [scenario] }],
    records,
    clock: () => new Date("2026-11-21T08:00:00Z"),
  });
  try {
    const answer = await server.inject({
      method: "GET",
      url: "/provider-d/applications/search?clientAfm=123456789&start=5&limit=7",
      headers: { "x-sandbox-scenario": scenario.name },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ start: 5, limit: 7, total: 1 });
    const schema = jsonAnswerOf(
      answerOf(providerD.endpoints.searchApplications, 200) ?? { media: {} },
    );
    if (schema === undefined) throw new TypeError("The search answers with JSON");
    assertValid(schema, answer.json(), "The scenario");
  } finally {
    await server.close();
    records.close();
  }
}

it("the command `insurance-gateway record` refuses an endpoint that the provider does not declare", async () => {
  const gateway = await startInProcess({
    providers: [insurerConfiguration("d", "http://127.0.0.1:1")],
  });
  try {
    const run = runsIn({ folder: gateway.folder.path, address: gateway.address });
    const { code, stderr } = await run(["record", "provider-d", "nothing"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("provider-d has no endpoint nothing."),
    });
  } finally {
    await gateway.stop();
  }
});
