import { type Owner, type VerdictFacts, verdictOf } from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";
import { createDays } from "../../src/accounts/usage/days.ts";
import { matchFieldsOf } from "../../src/submissions/match.ts";
import { applicationBody } from "../harness/applications.ts";

const SENT_AT = Date.UTC(2026, 10, 21, 8);
const body = applicationBody("123456789");
const matchFields = matchFieldsOf(createApplication, { params: {}, query: {}, body }) ?? {
  query: {},
  same: {},
};

/** Returns an item of the insurer's list that equals the sent application except for `more`. */
function item(applicationId: string, more: object = {}): object {
  return { ...body, applicationId, createdAt: "2026-11-21T08:00:01Z", ...more };
}

const nothingElse: VerdictFacts = {
  matchFields,
  times: { from: SENT_AT, until: SENT_AT + 45_000 },
  days: createDays("Europe/Athens"),
  settled: true,
  complete: true,
  similarOpen: 0,
  similarInFlight: 0,
  similarOlder: 0,
  similarUnnamed: 0,
  rivals: [],
  owners: [],
};

/** Returns a list with one owner: the insurer's identifier belongs to another submission. */
function owned(insurerId: string, claim: Owner["claim"]): readonly Owner[] {
  return [{ insurerId, claim }];
}

function verdict(items: readonly object[], facts: Partial<VerdictFacts> = {}): string {
  return verdictOf(createApplication, items, { ...nothingElse, ...facts }).verdict;
}

const { "/vehicle/plateNumber": _, ...withoutPlate } = matchFields.same;
const otherVehicle = { vehicle: { plateNumber: "ΑΒΓ-9999" } };
/**
 * Times in which other accounts' submissions may have created items: `atOnce` for a submission in flight, `longAgo` for
 * a submission of unknown outcome.
 */
const atOnce = { from: SENT_AT - 1_000, until: null };
const longAgo = { from: Date.UTC(2026, 10, 14), until: Date.UTC(2026, 10, 14, 1) };
const lastWeek = { createdAt: "2026-11-14T08:00:00Z" };

describe("the verdict of a query", () => {
  it.each([
    [0, "D-1"],
    [1, "D-2"],
    [2, "D-3"],
  ])(
    "the gateway matches equal submissions with list items in the order of arrival: %i older submissions, item %s",
    (similarOlder, insurerId) => {
      const later = (second: number): object => ({ createdAt: `2026-11-21T08:00:0${second}Z` });
      const items = [item("D-3", later(3)), item("D-2", later(2)), item("D-1", later(1))];
      for (const listed of [items, items.toReversed()])
        expect(
          verdictOf(createApplication, listed, { ...nothingElse, similarOpen: 2, similarOlder }),
        ).toMatchObject({
          verdict: "carried_out",
          insurerId,
          item: { applicationId: insurerId },
        });
    },
  );

  it.each<[string, readonly object[], Partial<VerdictFacts>]>([
    ["a newer equal item", [item("D-1")], {}],
    [
      "an equal item among other items of the customer",
      [item("D-1"), item("D-2", otherVehicle)],
      {},
    ],
    ["an equal item before the settle time", [item("D-1")], { settled: false }],
    [
      "an equal item for each open submission",
      [item("D-2", { createdAt: "2026-11-21T08:00:02Z" }), item("D-1")],
      { similarOpen: 1 },
    ],
    [
      "an equal item beside an item of another submission",
      [item("D-1"), item("D-2")],
      { owners: owned("D-2", "certain") },
    ],
    [
      "an equal item beside an item of a submission for another vehicle",
      [item("D-1"), item("D-2", otherVehicle)],
      { owners: owned("D-2", "contradicted") },
    ],
    [
      "an equal item from a clock four minutes behind",
      [item("D-1", { createdAt: "2026-11-21T07:56:00Z" })],
      {},
    ],
    [
      "an equal item with a UTC time without a zone",
      [item("D-1", { createdAt: "2026-11-21T08:00:01" })],
      {},
    ],
    ["an equal item with a local time", [item("D-1", { createdAt: "2026-11-21 10:00:01.5" })], {}],
    [
      "an equal item beside an older item, both with local times",
      [
        item("D-1", { createdAt: "2026-11-21T10:00:01" }),
        item("D-2", { createdAt: "2026-11-21T05:00:00", ...otherVehicle }),
      ],
      {},
    ],
    ["an equal item with a masked tax number", [item("D-1", { holder: { afm: "12*****89" } })], {}],
    [
      "an equal item while another account's submission is open since last week",
      [item("D-1")],
      { rivals: [longAgo] },
    ],
  ])("the verdict is that the insurer executed the submission: %s", (_, items, facts) => {
    expect(verdict(items, facts)).toBe("carried_out");
  });

  it.each<[string, readonly object[], Partial<VerdictFacts>]>([
    ["an empty list", [], {}],
    ["only an item of another submission", [item("D-1")], { owners: owned("D-1", "certain") }],
    ["only an old, different item", [item("D-1", { ...lastWeek, ...otherVehicle })], {}],
    [
      "only an old, different item with a local time",
      [item("D-1", { createdAt: "2026-11-21T05:00:00", ...otherVehicle })],
      {},
    ],
    [
      "only an old, different item with a masked tax number",
      [item("D-1", { ...lastWeek, ...otherVehicle, holder: { afm: "12*****89" } })],
      {},
    ],
  ])("the verdict is that the insurer did not execute the submission: %s", (_, items, facts) => {
    expect(verdict(items, facts)).toBe("absent");
  });

  it.each<[string, readonly object[], Partial<VerdictFacts>]>([
    ["an empty list before the settle time", [], { settled: false }],
    [
      "only an old item of another customer, for whom the gateway did not search",
      [item("D-1", { ...lastWeek, ...otherVehicle, holder: { afm: "987654321" } })],
      {},
    ],
    ["an empty list that is incomplete", [], { complete: false }],
    ["an equal item in an incomplete list", [item("D-1")], { complete: false }],
    ["two equal items for one submission", [item("D-1"), item("D-2")], {}],
    ["one equal item for two submissions", [item("D-1")], { similarOpen: 1 }],
    [
      "two equal items of the same time for two submissions",
      [item("D-1"), item("D-2")],
      { similarOpen: 1 },
    ],
    [
      "two equal items for two submissions, one item without a readable time",
      [item("D-1"), item("D-2", { createdAt: "yesterday" })],
      { similarOpen: 1 },
    ],
    [
      "two equal items for two submissions, one of them in flight",
      [item("D-2", { createdAt: "2026-11-21T08:00:02Z" }), item("D-1")],
      { similarOpen: 1, similarInFlight: 1 },
    ],
    [
      "an equal item that may belong to a success without an identifier",
      [item("D-1")],
      { similarUnnamed: 1 },
    ],
    ["a newer item that differs", [item("D-1", otherVehicle)], {}],
    [
      "an equal item with a match field that was not sent",
      [item("D-1")],
      { matchFields: { ...matchFields, same: withoutPlate } },
    ],
    ["an equal item that is too old", [item("D-1", lastWeek)], {}],
    [
      "an equal item whose time fits neither UTC nor the local zone",
      [item("D-1", { createdAt: "2026-11-21T09:00:01" })],
      {},
    ],
    [
      "an equal item with a tax number that is masked too much",
      [item("D-1", { holder: { afm: "1********" } })],
      {},
    ],
    [
      "an equal item whose masked tax number differs",
      [item("D-1", { holder: { afm: "12*****88" } })],
      {},
    ],
    [
      "an equal item while another account's equal submission is in flight",
      [item("D-1")],
      { rivals: [atOnce] },
    ],
    [
      "two equal items while another account's equal submission is in flight",
      [item("D-1"), item("D-2", { createdAt: "2026-11-21T08:00:02Z" })],
      { rivals: [atOnce] },
    ],
    [
      "an equal item without a creation time after another account's earlier submission",
      [item("D-1", { createdAt: null })],
      { rivals: [longAgo] },
    ],
    [
      "a different item without a creation time",
      [item("D-1", { createdAt: null, ...otherVehicle })],
      {},
    ],
    [
      "a different item with a creation time of 400 kB",
      [item("D-1", { createdAt: "1:11".repeat(100_000), ...otherVehicle })],
      {},
    ],
    [
      "an equal item that belongs to a submission for another vehicle",
      [item("D-1")],
      { owners: owned("D-1", "contradicted") },
    ],
    ["an equal item without an identifier", [item("")], {}],
    [
      "an equal item that may belong to another segment",
      [item("D-1")],
      { owners: owned("D-1", "possible") },
    ],
    [
      "two equal items, one of which may belong to another segment",
      [item("D-1"), item("D-2")],
      { similarOpen: 1, owners: owned("D-2", "possible") },
    ],
  ])("the verdict is unclear: %s", (_, items, facts) => {
    expect(verdict(items, facts)).toBe("unclear");
  });
});
