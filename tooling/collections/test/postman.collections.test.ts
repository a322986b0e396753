import newman from "newman";
import { afterAll, beforeAll, expect, it } from "vitest";
import { documentedRun, statusesOf } from "./harness/documented-run.ts";
import { type RecordedGateway, startRecordedGateway } from "./harness/recorded-gateway.ts";

let gateway: RecordedGateway;

beforeAll(async () => {
  gateway = await startRecordedGateway();
});
afterAll(() => gateway.stop());

async function download(path: string): Promise<object> {
  const response = await fetch(`${gateway.address}/reference/${path}`);
  expect(response.status).toBe(200);
  const file: unknown = await response.json();
  gateway.recorder.takeRecorded();
  return Object(file);
}

function run(collection: object, environment: object): Promise<newman.NewmanRunSummary> {
  return new Promise((resolve, reject) => {
    newman.run(
      { collection, environment, envVar: [{ key: "token", value: gateway.token }] },
      (error, summary) => (error === null ? resolve(summary) : reject(error)),
    );
  });
}

it("Postman's command newman runs the collection of all providers and gets every documented answer, including problem answers", async () => {
  const environment = await download("postman-environment.json");
  const { run: done } = await run(await download("postman.json"), environment);
  expect(done.failures.map(({ error, source }) => `${source?.name}: ${error.message}`)).toEqual([]);
  expect(done.stats.assertions.total).toBe(done.stats.requests.total);
  const answered = gateway.recorder.takeRecorded();
  expect(statusesOf(answered)).toEqual(documentedRun);
});

it("the tests inside a Postman collection fail if the gateway gives an undocumented answer", async () => {
  const environment = await download("postman-environment.json");
  const collection = await download("providers/provider-a/postman.json");
  const changed = JSON.parse(
    JSON.stringify(collection).replace("auto/brands", "auto/bands").replace('"brands"', '"bands"'),
  );
  const { run: done } = await run(changed, environment);
  expect(done.failures.length).toBeGreaterThan(0);
});
