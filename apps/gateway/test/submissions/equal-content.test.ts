import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;
beforeAll(async () => {
  const applications = createApplicationsInsurer();
  insurer = await startInsurer((response, arrival) => {
    const { body, status } = applications.execute({ ...arrival, query: "" });
    json(status, body ?? "")(response, arrival);
  });
  gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Returns an application with the given spelling of the customer's name and of the plate. */
function written(afm: string, fullName: string, plateNumber: string): object {
  const { holder, ...rest } = { holder: {}, ...applicationBody(afm, plateNumber) };
  return { ...rest, holder: { ...holder, fullName } };
}

const composed = "Ζωή Μαΐου".normalize("NFC");
const decomposed = composed.normalize("NFD");

it.each([
  ["without a key", "111111111", {}],
  ["with the same key", "222222222", { "idempotency-key": randomUUID() }],
])(
  "the gateway replays the answer to an earlier application %s if only the spelling of the plate or the name differs",
  async (_, afm, headers) => {
    const before = insurer.arrivals.length;
    const first = written(afm, composed, "ΙΚΥ-1234");
    const replayed: boolean[] = [];
    for (const body of [
      first,
      written(afm, composed, "ikΥ 1234"),
      written(afm, decomposed, "IKY1234"),
    ]) {
      const answer = await submitApplication(gateway, body, headers);
      expect(answer.status).toBe(201);
      replayed.push(answer.headers.has("idempotency-replayed"));
    }
    expect(replayed).toEqual([false, true, true]);
    expect(insurer.arrivals.slice(before).map(({ body }) => body)).toEqual([JSON.stringify(first)]);
  },
);

it("the gateway sends plate and name in the caller's spelling, and accepts an answer with another spelling", async () => {
  const body = written("333333333", decomposed, "ικυ 1234");
  const answer = await submitApplication(gateway, body);
  expect(answer.status).toBe(201);
  expect(insurer.arrivals.at(-1)?.body).toBe(JSON.stringify(body));
});

it("the gateway sends an application as a new submission if the plate or the customer differs", async () => {
  const before = insurer.arrivals.length;
  for (const body of [
    written("444444444", composed, "ΙΚΥ-1234"),
    written("444444444", composed, "ΙΚΥ-1235"),
    written("444444445", composed, "ΙΚΥ-1234"),
  ])
    expect((await submitApplication(gateway, body)).headers.has("idempotency-replayed")).toBe(
      false,
    );
  expect(insurer.arrivals.length - before).toBe(3);
});
