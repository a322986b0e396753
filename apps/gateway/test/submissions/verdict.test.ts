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

/** An application that the insurer has, like the one that was sent but for what is given. */
function item(applicationId: string, more: object = {}): object {
  return { ...body, applicationId, createdAt: "2026-11-21T08:00:01Z", ...more };
}

const nothingElse: VerdictFacts = {
  matchFields,
  times: { from: SENT_AT, until: SENT_AT + 45_000 },
  days: createDays("Europe/Athens"),
  settled: true,
  complete: true,
  openAlike: 0,
  inFlightAlike: 0,
  olderAlike: 0,
  unnamedAlike: 0,
  rivals: [],
  owners: [],
};

/** That another submission has an identifier. */
function owned(insurerId: string, claim: Owner["claim"]): readonly Owner[] {
  return [{ insurerId, claim }];
}

function verdict(items: readonly object[], facts: Partial<VerdictFacts> = {}): string {
  return verdictOf(createApplication, items, { ...nothingElse, ...facts }).verdict;
}

const { "/vehicle/plateNumber": _, ...withoutPlate } = matchFields.same;
const otherVehicle = { vehicle: { plateNumber: "ΑΒΓ-9999" } };
/** Submissions of other accounts: in flight now, and of unknown outcome since last week. */
const atOnce = { from: SENT_AT - 1_000, until: null };
const longAgo = { from: Date.UTC(2026, 10, 14), until: Date.UTC(2026, 10, 14, 1) };
const lastWeek = { createdAt: "2026-11-14T08:00:00Z" };

describe("what a lookup proves", () => {
  it.each([
    [0, "D-1"],
    [1, "D-2"],
    [2, "D-3"],
  ])(
    "a lookup with several similar items, %i of them older, proves %s",
    (olderAlike, insurerId) => {
      const later = (second: number): object => ({ createdAt: `2026-11-21T08:00:0${second}Z` });
      const items = [item("D-3", later(3)), item("D-2", later(2)), item("D-1", later(1))];
      for (const listed of [items, items.toReversed()])
        expect(
          verdictOf(createApplication, listed, { ...nothingElse, openAlike: 2, olderAlike }),
        ).toMatchObject({
          verdict: "carried_out",
          insurerId,
          item: { applicationId: insurerId },
        });
    },
  );

  it.each<[string, readonly object[], Partial<VerdictFacts>]>([
    ["the one that is alike and newer", [item("D-1")], {}],
    ["it among others of the customer", [item("D-1"), item("D-2", otherVehicle)], {}],
    ["it before the insurer has had its time", [item("D-1")], { settled: false }],
    [
      "one for each that is open",
      [item("D-2", { createdAt: "2026-11-21T08:00:02Z" }), item("D-1")],
      { openAlike: 1 },
    ],
    ["it beside another's", [item("D-1"), item("D-2")], { owners: owned("D-2", "certain") }],
    [
      "it beside one of a submission that asked for another vehicle",
      [item("D-1"), item("D-2", otherVehicle)],
      { owners: owned("D-2", "contradicted") },
    ],
    ["it by a clock a little behind", [item("D-1", { createdAt: "2026-11-21T07:56:00Z" })], {}],
    [
      "it by a time without a zone, in UTC",
      [item("D-1", { createdAt: "2026-11-21T08:00:01" })],
      {},
    ],
    ["it by a local time", [item("D-1", { createdAt: "2026-11-21 10:00:01.5" })], {}],
    [
      "it beside older ones by a local time",
      [
        item("D-1", { createdAt: "2026-11-21T10:00:01" }),
        item("D-2", { createdAt: "2026-11-21T05:00:00", ...otherVehicle }),
      ],
      {},
    ],
    [
      "it with a tax number of which a part is hidden",
      [item("D-1", { holder: { afm: "12*****89" } })],
      {},
    ],
    ["it while another account's has been open for long", [item("D-1")], { rivals: [longAgo] }],
  ])("is that it was carried out: %s", (_, items, facts) => {
    expect(verdict(items, facts)).toBe("carried_out");
  });

  it.each<[string, readonly object[], Partial<VerdictFacts>]>([
    ["nothing is there", [], {}],
    ["only others' are there", [item("D-1")], { owners: owned("D-1", "certain") }],
    ["only old ones that are not alike", [item("D-1", { ...lastWeek, ...otherVehicle })], {}],
    [
      "only old ones by a local time",
      [item("D-1", { createdAt: "2026-11-21T05:00:00", ...otherVehicle })],
      {},
    ],
    [
      "only others with a tax number of which a part is hidden",
      [item("D-1", { ...lastWeek, ...otherVehicle, holder: { afm: "12*****89" } })],
      {},
    ],
  ])("is that it was not taken: %s", (_, items, facts) => {
    expect(verdict(items, facts)).toBe("absent");
  });

  it.each<[string, readonly object[], Partial<VerdictFacts>]>([
    ["nothing is there, too soon", [], { settled: false }],
    [
      "only old ones of another customer are there, for whom nobody searched",
      [item("D-1", { ...lastWeek, ...otherVehicle, holder: { afm: "987654321" } })],
      {},
    ],
    ["nothing is there, and not all was seen", [], { complete: false }],
    ["it is there, and not all was seen", [item("D-1")], { complete: false }],
    ["two are there for one", [item("D-1"), item("D-2")], {}],
    ["one is there for two", [item("D-1")], { openAlike: 1 }],
    ["two of one instant are there for two", [item("D-1"), item("D-2")], { openAlike: 1 }],
    [
      "two are there for two, and one has no readable time",
      [item("D-1"), item("D-2", { createdAt: "yesterday" })],
      { openAlike: 1 },
    ],
    [
      "two are there for two, and the answer to the other is still to come",
      [item("D-2", { createdAt: "2026-11-21T08:00:02Z" }), item("D-1")],
      { openAlike: 1, inFlightAlike: 1 },
    ],
    [
      "the only one may be that of a success without an identifier",
      [item("D-1")],
      { unnamedAlike: 1 },
    ],
    ["one that is newer is not alike", [item("D-1", otherVehicle)], {}],
    [
      "the only one has a match field that was not sent",
      [item("D-1")],
      { matchFields: { ...matchFields, same: withoutPlate } },
    ],
    ["one that is alike is old", [item("D-1", lastWeek)], {}],
    ["a local time is neither's", [item("D-1", { createdAt: "2026-11-21T09:00:01" })], {}],
    ["too much of a number is hidden", [item("D-1", { holder: { afm: "1********" } })], {}],
    ["another number has a hidden part", [item("D-1", { holder: { afm: "12*****88" } })], {}],
    ["another account asked for the same at the time", [item("D-1")], { rivals: [atOnce] }],
    [
      "another account asked at the time, also with an item for each",
      [item("D-1"), item("D-2", { createdAt: "2026-11-21T08:00:02Z" })],
      { rivals: [atOnce] },
    ],
    [
      "another account asked long ago, and there is no time of creation",
      [item("D-1", { createdAt: null })],
      { rivals: [longAgo] },
    ],
    ["one does not say when it was made", [item("D-1", { createdAt: null, ...otherVehicle })], {}],
    [
      "one says when it was made in 400 kB",
      [item("D-1", { createdAt: "1:11".repeat(100_000), ...otherVehicle })],
      {},
    ],
    [
      "the only one is said to be of a submission that asked for another vehicle",
      [item("D-1")],
      { owners: owned("D-1", "contradicted") },
    ],
    ["it has no identifier", [item("")], {}],
    ["it may be another segment's", [item("D-1")], { owners: owned("D-1", "possible") }],
    [
      "one of two may be another segment's",
      [item("D-1"), item("D-2")],
      { openAlike: 1, owners: owned("D-2", "possible") },
    ],
  ])("is nothing: %s", (_, items, facts) => {
    expect(verdict(items, facts)).toBe("unclear");
  });
});
