import type { Schema } from "@insurance-gateway/core/contract";
import { check } from "@insurance-gateway/core/contract";
import {
  afm,
  date,
  decimal,
  instant,
  loose,
  openEnum,
  zod,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { fittingValues } from "@insurance-gateway/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createScrub } from "../../../src/insurers/drift/scrub.ts";
import { seeking } from "../../canaries/canary.ts";

interface Policy {
  id: string;
  status: string;
  type: "MOTOR" | "HOME";
  holder: { afm: string; fullName: string; born: string; email: string | null };
  premium: string;
  amount: number;
  seats: number;
  active: boolean;
  signedAt: string;
  tags: Record<string, string>;
  notes: string[];
  either: string | { text: string };
}
const holder = loose<Policy["holder"]>({
  afm: afm(),
  fullName: z.string(),
  born: date(),
  email: z.nullable(z.string()),
});
const policy: Schema<Policy> = loose<Policy>({
  id: z.string().check(z.minLength(1)),
  status: openEnum("OPEN", "CLOSED"),
  type: z.enum(["MOTOR", "HOME"]),
  holder: zod(holder),
  premium: decimal(),
  amount: z.number(),
  seats: z.int(),
  active: z.boolean(),
  signedAt: instant(),
  tags: z.record(z.string(), z.string()),
  notes: z.array(z.string()),
  either: z.union([z.string(), z.object({ text: z.string() })]),
});

const real: Policy = {
  id: "K-094772316",
  status: "OPEN",
  type: "HOME",
  holder: { afm: "094772316", fullName: "Μαρία Παπαδοπούλου", born: "1961-07-23", email: null },
  premium: "6174.61",
  amount: 6174.61,
  seats: 7,
  active: true,
  signedAt: "1961-07-23T09:47:23Z",
  tags: { "Παπαδοπούλου Μαρία": "6974123456", "094772316": "K-094772316" },
  notes: ["Maria 094772316", "b", "c", "d"],
  either: { text: "Maria" },
};

describe("a scrubbed example", () => {
  it("a scrubbed example of an insurer's answer keeps the declared fields, the nulls and the values of declared lists", () => {
    expect(createScrub(policy)({ ...real, internalNumber: 5 })).toEqual({
      id: "A-111111111",
      status: "OPEN",
      type: "HOME",
      holder: { afm: "111111112", fullName: "Ααααα Αααααααααααα", born: "2026-01-04", email: null },
      premium: "1111.15",
      amount: 1116.11,
      seats: 7,
      active: true,
      signedAt: "2026-01-08T10:00:00Z",
      tags: { key1: "1111111119", key2: "A-111111111" },
      notes: ["Aaaaa 111111110", "a", "a"],
      either: { text: "Aaaaa" },
    });
  });

  it("a scrubbed example of an insurer's answer has a value of the declared list in place of an undeclared value", () => {
    const scrubbed = createScrub(policy)({ ...real, status: "Παπαδοπούλου" });
    expect(scrubbed).toMatchObject({ status: "OPEN" });
  });

  it("the gateway makes no scrubbed example of an insurer's answer if the synthetic values do not fit the declaration", () => {
    const even: Schema<string> = zodSchema(z.string().check(z.regex(/^[2-9]{2}$/)));
    expect(createScrub(even)("22")).toBeNull();
  });

  it("a scrubbed example of an insurer's answer contains no customer's data, regardless of the field that had the data", () => {
    const scrub = createScrub(policy);
    const personal = fc.oneof(
      fc.stringMatching(/^[2-9]{9}$/),
      fc.stringMatching(/^[Α-ΡΣ-Ω][α-ω]{6,12} [Α-ΡΣ-Ω][α-ω]{6,12}$/),
      fc.stringMatching(/^[B-Z][b-z]{6,12}@[b-z]{4,8}\.gr$/),
      fc.stringMatching(/^[A-Za-z0-9+/]{24,60}==$/),
    );
    fc.assert(
      fc.property(personal, fc.integer({ min: 22_222_222, max: 99_999_999 }), (text, number) => {
        const planted = {
          ...real,
          id: text,
          status: text,
          holder: { ...real.holder, fullName: text, email: text, [text]: text },
          amount: number,
          seats: number,
          tags: { [text]: text, [String(number)]: String(number) },
          notes: [text, String(number), Buffer.from(text).toString("base64")],
          either: { text, [text]: { [text]: text } },
          [text]: [text],
        };
        const scrubbed = scrub(planted);
        expect(check(policy, scrubbed).valid).toBe(true);
        const seek = seeking([
          text,
          String(number),
          ...text.split(/[ @]/).filter((one) => one.length > 5),
        ]);
        expect(seek(JSON.stringify(scrubbed))).toBeNull();
      }),
    );
  });

  it("the scrubbed examples of random valid answers fit the declared schema", () => {
    const values = fittingValues(policy, 60);
    const scrubbed = values.map(createScrub(policy));
    expect(scrubbed.filter((one) => one !== null)).toHaveLength(values.length);
  });
});
