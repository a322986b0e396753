import { expect, it, onTestFinished } from "vitest";
import { startListingGateway } from "./listing-gateway.ts";

it("a submission is not failed by an empty list that a cache on the way to the insurer answers with", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  const { insurer } = gateway;
  const usual = insurer.behaviour;
  insurer.behaviour = (response, arrival) => {
    if (arrival.method === "GET") response.setHeader("age", "120");
    usual(response, arrival);
  };
  const { address } = await gateway.submitInVain();
  const pass = async (): Promise<void> => {
    for (let count = 0; count < 3; count++) await gateway.pass(20 * 60_000);
  };
  await pass();
  expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  const queries = insurer.arrivals.filter(({ method }) => method === "GET");
  expect(queries.length).toBeGreaterThan(0);
  for (const { headers } of queries) expect(headers["cache-control"]).toBe("no-cache");
  insurer.behaviour = usual;
  for (let hours = 0; hours < 8; hours++) await pass();
  expect(await gateway.stateOf(address)).toBe("failed");
});
