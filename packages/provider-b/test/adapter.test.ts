import { callAdapter, type ScriptedAnswer } from "@insurance-gateway/testkit";
import { describe, expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import { listCountries } from "../src/index.ts";

/** Returns a country in the insurer's format. */
function row(number: number): object {
  return {
    isoAlpha2: "GR",
    isoAlpha3: "GRC",
    labels: { en: `Country ${number}`, el: "Ελλάδα" },
    tariffZone: "A",
    schengenMember: "Y",
  };
}

/** Returns one page of the insurer's list, which has a given total of countries. */
function page(number: number, total: number, etag?: string): ScriptedAnswer {
  const count = Math.max(0, Math.min(100, total - number * 100));
  const content = Array.from({ length: count }, (_, index) => row(number * 100 + index));
  return {
    body: JSON.stringify({ content, page: number, size: 100, totalElements: total }),
    ...(etag === undefined ? {} : { headers: { etag } }),
  };
}

const list = (answers: readonly ScriptedAnswer[]) =>
  callAdapter(adapter, listCountries, {}, answers);

describe("the adapter of provider B", () => {
  it("the adapter collects all pages of the insurer, counted from 0, into one list of countries", async () => {
    const pages = [page(0, 249, '"x"'), page(1, 249, '"y"'), page(2, 249, 'W/"z"')];
    const { answer, sent } = await list(pages);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v2/travel/countries?page=0&size=100",
      "GET /v2/travel/countries?page=1&size=100",
      "GET /v2/travel/countries?page=2&size=100",
    ]);
    expect(answer).toMatchObject({ type: "value", status: 200, headers: { etag: '"x.y.z"' } });
    const { items } = Object(answer.type === "value" ? answer.value : {});
    expect(items.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 249 }, (_, index) => `Country ${index}`),
    );
    expect(items[0]).toEqual({
      code: "GR",
      alpha3: "GRC",
      name: "Country 0",
      nameEl: "Ελλάδα",
      zone: "GREECE",
      schengen: true,
    });
  });

  it.each([0, 1, 100, 200])(
    "the adapter returns the complete list of %i countries",
    async (total) => {
      const pages = [0, 1].map((number) => page(number, total));
      const { answer } = await list(pages);
      expect(answer.type === "value" && Object(answer.value).items).toHaveLength(total);
    },
  );

  it("the adapter returns an empty ETag if one of the insurer's pages has no ETag", async () => {
    const { answer } = await list([page(0, 101, '"x"'), page(1, 101)]);
    expect(answer).toMatchObject({ headers: { etag: "" } });
  });

  it.each([
    ["a page that is too short before the end", [page(2, 249), page(1, 249)]],
    [
      "a page that is longer than requested",
      [
        {
          body: JSON.stringify({
            content: Array.from({ length: 101 }, (_, index) => row(index)),
            totalElements: 101,
          }),
        },
      ],
    ],
    [
      "an unknown tariff zone",
      [{ body: JSON.stringify({ content: [{ ...row(1), tariffZone: "D" }], totalElements: 1 }) }],
    ],
    [
      "a total that is not a number",
      [{ body: JSON.stringify({ content: [], totalElements: "many" }) }],
    ],
    [
      "more countries than ten pages can hold",
      Array.from({ length: 10 }, (_, number) => page(number, 1_001)),
    ],
  ])("the adapter reports the insurer's answer as unreadable: %s", async (_, answers) => {
    expect((await list(answers)).answer).toMatchObject({ type: "unreadable" });
  });

  it("the adapter stops at a page that the insurer refuses, and reports the refusal", async () => {
    const refused = { status: 429, body: '{"error":{"code":"QUOTA","message":"x"}}' };
    const { answer } = await list([page(0, 249), refused]);
    expect(answer).toMatchObject({
      type: "refusal",
      status: 429,
      content: { error: { code: "QUOTA" } },
    });
  });
});
