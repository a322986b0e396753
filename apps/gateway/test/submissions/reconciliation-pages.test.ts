import { randomUUID } from "node:crypto";
import { createApplication } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { submitApplication } from "../harness/applications.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import { momentAt } from "../harness/store-samples.ts";
import { type ListedPage, type ListingGateway, startListingGateway } from "./listing-gateway.ts";

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

/** Returns an item as the insurer lists it, created `agoMs` ago. */
const item = (body: object, agoMs = 0): object => gateway.listed(body, agoMs);

/** Returns a number of items of the same customer for other vehicles. */
function others(body: object, number: number, agoMs = 0): readonly object[] {
  const vehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
  return Array.from({ length: number }, () => item({ ...body, vehicle }, agoMs));
}

describe("what was carried out is found", () => {
  it.each([
    ["on the second page, where the insurer gives no total", 150, "null" as const],
    ["on the second page", 150, "of the list" as const],
    ["after a full page whose total counts its own items", 100, "of the page" as const],
    ["as the last of the tenth page", 990, "of the list" as const],
  ])("%s", async (_, before, total) => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [...others(body, before), item(body)];
    gateway.total = total;
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });

  it("a carried-out submission is found in a list that is not in its declared order", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [...others(body, 120, 60 * MINUTE), ...others(body, 1), item(body)];
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });
});

describe("what was carried out is not called absent", () => {
  it.each([
    ["behind ten pages of items that all seem older", 1_100, 60 * MINUTE],
    ["behind a page of items of one instant, which show no order", 100, 60 * MINUTE],
  ])("%s", async (_, before, agoMs) => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [...others(body, before, agoMs), item(body)];
    for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) await gateway.pass(wait);
    expect(await gateway.stateOf(address)).not.toBe("failed");
  });

  it("a submission is not called absent if an older item disappears between two pages", async () => {
    const { address, body } = await gateway.submitInVain();
    // Descending only up to the fiftieth, so that the whole list is read.
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

describe("a page that contradicts its request", () => {
  /** A page of a list that counts its items from 0, so that the newest one is left out. */
  const fromZero = ({ limit, start, total }: ListedPage): ListedPage => {
    const items = gateway.list.slice(start, start + limit);
    return { items, start: start + 1, limit, total };
  };
  const empty = (page: ListedPage): ListedPage => ({ ...page, items: [], total: 0 });

  it.each<[string, number, ListingGateway["changePage"]]>([
    ["begins at another item", 4, fromZero],
    ["begins at another item, and has only one", 1, fromZero],
    ["is empty, and begins at another item", 0, (page) => ({ ...empty(page), start: 21 })],
    [
      "has its items twice, and then none",
      0,
      (page) => `${JSON.stringify({ ...page, total: 0 }).slice(0, -1)},"items":[]}`,
    ],
    ["is empty, and could have had no item", 0, (page) => ({ ...empty(page), limit: 0 })],
    ["is empty, and has a total", 0, (page) => ({ ...empty(page), total: 1 })],
    [
      "has more items than its total",
      3,
      (page) => ({ ...fromZero(page), start: page.start, total: 2 }),
    ],
  ])("proves no absence: it %s", async (_, older, changePage) => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [
      item(body),
      ...others(body, older).map((one, index) => ({
        ...one,
        createdAt: new Date(gateway.time.now() - (index + 1) * 60 * MINUTE).toISOString(),
      })),
    ];
    gateway.changePage = changePage;
    for (let count = 0; count < 4; count++) await gateway.pass(20 * MINUTE);
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
    gateway.changePage = (page) => page;
    await gateway.pass(8 * 60 * MINUTE);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });

  it("still proves that a submission was carried out that is on it", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [item(body)];
    gateway.changePage = (page) => ({ ...page, start: 2, limit: 7 });
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
  });
});

describe("absence", () => {
  /** Asks for the state at an instant after the outcome became unknown: the question brings the query forward. */
  async function stateAfter(address: string, milliseconds: number): Promise<unknown> {
    await gateway.time.pass(milliseconds);
    await gateway.stateOf(address);
    await gateway.time.tick();
    return gateway.stateOf(address);
  }

  it("is proved when the insurer has had its time, and not before", async () => {
    const { address } = await gateway.submitInVain();
    expect(await stateAfter(address, settleAfterMs - 1)).toBe("outcome_unknown");
    // The first that counts is this one.
    expect(await stateAfter(address, 9 * MINUTE + 10 * SECOND)).toBe("outcome_unknown");
    expect(await stateAfter(address, 5 * MINUTE - 1)).toBe("outcome_unknown");
    expect(await stateAfter(address, 10 * SECOND)).toBe("failed");
  });

  it("counts that time from when the outcome became unknown, not from the arrival", async () => {
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

  it("is not proved by a page that the insurer does not answer", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = others(body, 150, 0);
    const usual = gateway.insurer.behaviour;
    gateway.insurer.behaviour = (response, arrival) => {
      if (arrival.url.includes("start=100")) response.destroy();
      else usual(response, arrival);
    };
    for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) await gateway.pass(wait);
    gateway.insurer.behaviour = usual;
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });

  it("is not proved by an item without an instant", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = others(body, 1, 60 * MINUTE).map((one) => ({ ...one, createdAt: "soon" }));
    for (const wait of [2 * SECOND, 30 * SECOND, 2 * MINUTE]) await gateway.pass(wait);
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });
});

describe("the pages", () => {
  it("are read until the first older item, each with the last item of the one before", async () => {
    const { body } = await gateway.submitInVain();
    gateway.list = [...others(body, 150), item(body), ...others(body, 400, 60 * MINUTE)];
    const before = gateway.asked.length;
    await gateway.pass(2 * SECOND);
    const pages = gateway.asked.slice(before).map(({ limit, start }) => [start, limit]);
    expect(pages).toEqual([
      [1, 100],
      [100, 100],
    ]);
  });

  it("are ten at most for one query", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = others(body, 2_000);
    const before = gateway.asked.length;
    await gateway.pass(2 * SECOND);
    expect(gateway.asked.length - before).toBe(10);
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });
});

describe("a query", () => {
  it("a query whose answer proves nothing is repeated by the schedule, not before", async () => {
    const { body } = await gateway.submitInVain();
    const afm = String(Reflect.get(Object(Reflect.get(body, "holder")), "afm"));
    const queries = (): number =>
      gateway.insurer.arrivals.filter(({ url }) => url.includes(afm)).length;
    await gateway.pass(2 * SECOND);
    await gateway.pass(29 * SECOND);
    expect(queries()).toBe(1);
    await gateway.pass(1 * SECOND);
    expect(queries()).toBe(2);
  });

  it.each<[string, Behaviour]>([
    ["is not answered", (response) => void response.destroy()],
    ["is answered with 401, which is no answer about the submission", json(401, {})],
  ])("a query that %s is made again after ten seconds", async (_, behaviour) => {
    const { body } = await gateway.submitInVain();
    const afm = String(Reflect.get(Object(Reflect.get(body, "holder")), "afm"));
    const queries = (): number =>
      gateway.insurer.arrivals.filter(({ url }) => url.includes(afm)).length;
    const usual = gateway.insurer.behaviour;
    gateway.insurer.behaviour = (response, arrival) =>
      (arrival.url.includes(afm) ? behaviour : usual)(response, arrival);
    await gateway.pass(2 * SECOND);
    await gateway.pass(9 * SECOND);
    expect(queries()).toBe(1);
    gateway.insurer.behaviour = usual;
    await gateway.pass(1 * SECOND);
    expect(queries()).toBe(2);
  });

  it("a query that finds a declined application leaves the same content free for a new submission", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [{ ...item(body), status: "DECLINED" }];
    await gateway.pass(2 * SECOND);
    expect(await gateway.stateOf(address)).toBe("succeeded");
    const before = gateway.insurer.arrivals.length;
    expect((await submitApplication(gateway, body)).status, "sent, and lost").toBe(504);
    expect(gateway.insurer.arrivals.length).toBeGreaterThan(before);
  });

  it("a query does not settle a submission that another process has changed meanwhile", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [item(body)];
    const usual = gateway.insurer.behaviour;
    const postponeElsewhere = async (): Promise<void> => {
      const record = await gateway.store.find(address.split("/").at(-1) ?? "");
      const { running } = await gateway.store.readRunningTime(0);
      if (record !== null)
        await gateway.store.postpone(record, momentAt(running), running + MINUTE);
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
  /** Lets the insurer answer a submission to a segment with an item of the same match fields. */
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

  it("proves that it is not this one's, in the same segment", async () => {
    const { address, body } = await gateway.submitInVain();
    gateway.list = [await submitWell("provider-d", { ...body, ...otherName(body) })];
    await settle();
    expect(await gateway.stateOf(address)).toBe("failed");
  });

  it("proves nothing where the other segment may be another insurer's", async () => {
    const { address, body } = await gateway.submitInVain();
    await gateway.pass(4 * MINUTE);
    gateway.list = [await submitWell("fleet", { ...body, ...otherName(body) })];
    await settle();
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });

  it("proves nothing where the other's match fields are not the item's: somebody was wrong", async () => {
    const { address, body } = await gateway.submitInVain();
    const otherVehicle = { ...Object(Reflect.get(body, "vehicle")), plateNumber: "XXX-9999" };
    const other = await submitWell("provider-d", { ...body, vehicle: otherVehicle });
    gateway.list = [{ ...other, vehicle: Reflect.get(body, "vehicle") }];
    await settle();
    expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  });
});

/** Returns the body with another name, which is not a match field. */
function otherName(body: object): object {
  return { holder: { ...Object(Reflect.get(body, "holder")), fullName: "Μαρία Ιωάννου" } };
}

/** Does the same, but loses a submission's answer only later. */
function wrap(
  usual: ListingGateway["insurer"]["behaviour"],
  until: Promise<void>,
): ListingGateway["insurer"]["behaviour"] {
  return (response, arrival) => {
    if (arrival.method === "POST") void until.then(() => usual(response, arrival));
    else usual(response, arrival);
  };
}
