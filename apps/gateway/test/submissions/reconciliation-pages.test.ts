import { randomUUID } from "node:crypto";
import { createApplication } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { submitApplication } from "../harness/applications.ts";
import { json } from "../harness/insurer.ts";
import { momentAt } from "../harness/store-samples.ts";
import { waitTurns } from "../harness/turns.ts";
import { type ListingGateway, startListingGateway } from "./listing-gateway.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const settleAfterMs = createApplication.settleAfterMs ?? 0;

let gateway: ListingGateway;
beforeAll(async () => {
  gateway = await startListingGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.list = [];
  gateway.total = "of the list";
  gateway.beforePage = () => {};
  gateway.changePage = (page) => page;
});

/** Returns an item of the insurer's list, created `agoMs` ago. */
const item = (body: object, agoMs = 0): object => gateway.listed(body, agoMs);

/** Returns items of the same customer for other vehicles. */
function others(body: object, number: number, agoMs = 0): readonly object[] {
  const vehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
  return Array.from({ length: number }, () => item({ ...body, vehicle }, agoMs));
}

describe("executed submissions in long lists", () => {
  it.each([
    ["on the second page of a list without a total", 150, "null" as const],
    ["on the second page of a list with a total", 150, "of the list" as const],
    ["after a full page whose total counts only its own items", 100, "of the page" as const],
    ["as the last item of the tenth page", 990, "of the list" as const],
  ])("the gateway finds an executed submission %s", async (_, before, total) => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [...others(body, before), item(body)];
    gateway.total = total;
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });

  it("the gateway finds an executed submission in a list that is not in the declared order", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [...others(body, 120, 60 * MINUTE), ...others(body, 1), item(body)];
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });
});

describe("executed submissions that a query does not find", () => {
  it.each([
    ["behind ten pages of items that all seem older", 1_100, 60 * MINUTE],
    ["behind a page of items of the same time, which show no order", 100, 60 * MINUTE],
  ])(
    "the gateway does not mark a submission as failed if the insurer's list has the submission %s",
    async (_, before, agoMs) => {
      const { address, body } = await gateway.submitInVain();
      gateway.list = [...others(body, before, agoMs), item(body)];
      for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) await gateway.pass(wait);
      expect(await gateway.stateOf(address)).not.toBe("failed");
    },
  );

  it("the gateway does not mark an executed submission as failed if an older item disappears between two pages", async () => {
    const { address, body } = await gateway.submitInVain();
    // The list is in descending order only up to the fiftieth item, so the gateway reads the whole list.
    const whole = [
      ...others(body, 50, 60 * MINUTE),
      ...others(body, 49, 30 * MINUTE),
      ...others(body, 1, 30 * MINUTE),
      item(body),
      ...others(body, 20, 60 * MINUTE),
    ];
    gateway.beforePage = ({ start }) => {
      gateway.list = start === 1 ? whole : whole.slice(1);
    };
    for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) await gateway.pass(wait);
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });
});

describe("the proof of absence", () => {
  /** Advances the time, makes the query due by reading the state, and returns the state after the query. */
  async function stateAfter(address: string, milliseconds: number): Promise<unknown> {
    await gateway.time.pass(milliseconds);
    await gateway.stateOf(address);
    await gateway.time.tick();
    return gateway.stateOf(address);
  }

  it.each([
    ["right", 0, 1],
    // The store counts at most ten seconds of the jump as running time.
    ["set forward", MINUTE, 11 * SECOND],
  ])(
    "a submission's absence is proved only by two queries after the insurer's settle time: the gateway's clock is %s",
    async (_, jumpMs, earlierMs) => {
      const { address } = await gateway.submitInVain();
      gateway.time.jump(jumpMs);
      expect(await stateAfter(address, settleAfterMs - earlierMs)).toBe("outcome_unknown");
      // The query after 9 minutes is the first query that counts for the proof of absence.
      expect(await stateAfter(address, 9 * MINUTE + 10 * SECOND)).toBe("outcome_unknown");
      expect(await stateAfter(address, 5 * MINUTE - 1)).toBe("outcome_unknown");
      expect(await stateAfter(address, 10 * SECOND)).toBe("failed");
    },
  );

  it("two queries that a caller brings forward prove a submission's absence only ten minutes after the request", async () => {
    const { address } = await gateway.submitInVain();
    expect(await stateAfter(address, settleAfterMs)).toBe("outcome_unknown");
    expect(await stateAfter(address, 10 * MINUTE - 1 - settleAfterMs)).toBe("outcome_unknown");
    expect(await stateAfter(address, 10 * SECOND)).toBe("failed");
  });

  it("the settle time begins when the outcome becomes unknown, not when the submission arrives", async () => {
    const lost = Promise.withResolvers<void>();
    gateway.insurer.behaviour = wrap(gateway.insurer.behaviour, lost.promise);
    const arrived = gateway.insurer.nextArrival();
    const submitted = gateway.submitInVain();
    await arrived;
    await gateway.time.pass(40 * SECOND);
    lost.resolve();
    const { address } = await submitted;
    expect(await stateAfter(address, settleAfterMs - 1)).toBe("outcome_unknown");
    expect(await stateAfter(address, 9 * MINUTE)).toBe("outcome_unknown");
    expect(await stateAfter(address, 5 * MINUTE)).toBe("failed");
  });
});

it("the rate limit of two queries per second counts each page", async () => {
  const limited = await startListingGateway(undefined, 2);
  onTestFinished(() => limited.stop());
  const { body } = await limited.submitInVain();
  const vehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
  const others = Array.from({ length: 300 }, () => limited.listed({ ...body, vehicle }));
  limited.list = [...others, limited.listed(body)];
  limited.time.forward(2 * SECOND);
  const queried = limited.time.tick();
  await expect.poll(() => limited.asked.length).toBe(2);
  // After 100 turns of the event loop, the third page waits.
  await waitTurns();
  expect(limited.asked).toHaveLength(2);
  limited.time.forward(SECOND);
  await limited.time.tick();
  await queried;
  expect(limited.asked).toHaveLength(4);
});

describe("changes during and after a query", () => {
  it("the gateway sends the same content again if a query finds that the application was declined", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [{ ...item(body), status: "DECLINED" }];
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
    const before = gateway.insurer.arrivals.length;
    expect((await submitApplication(gateway, body)).status, "sent, and lost").toBe(504);
    expect(gateway.insurer.arrivals.length).toBeGreaterThan(before);
  });

  it("a query does not conclude a submission that another process has changed during the query", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [item(body)];
    const usual = gateway.insurer.behaviour;
    const postponeElsewhere = async (): Promise<void> => {
      const record = await gateway.store.find(address.split("/").at(-1) ?? "");
      const { running } = await gateway.store.readRunningTime(0);
      if (record !== null)
        await gateway.store.planNextQuery(record, momentAt(running), running + MINUTE);
    };
    gateway.insurer.behaviour = (response, arrival) =>
      void postponeElsewhere().then(() => usual(response, arrival));
    await gateway.pass(2 * SECOND);
    gateway.insurer.behaviour = usual;
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
    await gateway.pass(MINUTE);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });
});

describe("an item whose identifier belongs to another submission", () => {
  /** Submits to a segment. The insurer answers with an item that has the same match fields. Returns the item. */
  async function submitWell(segment: string, body: object): Promise<object> {
    const usual = gateway.insurer.behaviour;
    const answer = item(body);
    gateway.insurer.behaviour = json(201, answer);
    const response = await gateway.ask(`/${segment}/applications`, {
      json: body,
      headers: { "idempotency-key": randomUUID() },
    });
    gateway.insurer.behaviour = usual;
    expect(response.status).toBe(201);
    return answer;
  }

  async function settle(): Promise<void> {
    for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE]) await gateway.pass(wait);
  }

  it("a submission's absence is proved if the only list item belongs to an equal submission at the same segment", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [await submitWell("provider-d", { ...body, ...otherName(body) })];
    await settle();
    expect(await gateway.stateOf(address)).toBe("failed");
  });

  it("a submission's absence is not proved if the only list item belongs to a submission at another segment", async () => {
    const { address, body } = await gateway.submitInVain();
    await gateway.pass(4 * MINUTE);
    gateway.list = [await submitWell("fleet", { ...body, ...otherName(body) })];
    await settle();
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });

  it("a submission's absence is not proved if a list item contradicts the submission to which the item's identifier belongs", async () => {
    const { address, body } = await gateway.submitInVain();
    const otherVehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
    const other = await submitWell("provider-d", { ...body, vehicle: otherVehicle });
    gateway.list = [{ ...other, vehicle: Reflect.get(body, "vehicle") }];
    await settle();
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });
});

/** Returns a body whose holder has another name, which is not a match field. */
function otherName(body: object): object {
  return { holder: { ...Object(Reflect.get(body, "holder")), fullName: "Μαρία Ιωάννου" } };
}

/**
 * Returns the insurer's usual behaviour, except that the insurer loses the answer to a submission only after `until`.
 */
function wrap(
  usual: ListingGateway["insurer"]["behaviour"],
  until: Promise<void>,
): ListingGateway["insurer"]["behaviour"] {
  return (response, arrival) => {
    if (arrival.method === "POST") void until.then(() => usual(response, arrival));
    else usual(response, arrival);
  };
}
