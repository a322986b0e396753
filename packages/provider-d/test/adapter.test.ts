import { callAdapter, type ScriptedAnswer } from "@insurance-gateway/testkit";
import { describe, expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import { createApplication, type MotorApplication, searchApplications } from "../src/index.ts";

const body: MotorApplication = {
  policy: { startDate: "2026-12-01", endDate: "2027-11-30" },
  vehicle: { plateNumber: " ΙΚΥ-1234", manufacturerCode: "007", modelCode: "Yaris" },
  holder: { afm: "012345678", fullName: "Μαρία Παπαδοπούλου" },
};

/** An application in the insurer's format. */
const theirs = {
  applicationNumber: "M-1",
  state: "PREPAY",
  contract: { validFrom: "2026-12-01", validTo: "2027-11-30" },
  vehicle: { licensePlate: " ΙΚΥ-1234", makeCode: "007", model: "Yaris" },
  policyholder: { taxNumber: "012345678", name: "Μαρία Παπαδοπούλου" },
  remarks: [{ remarkCode: "R1", remark: "Pay." }],
  charge: { net: 212.4, taxes: 37.6, total: 250, currency: "EUR" },
  prepay: { paymentCode: "RF18", payUntil: "2026-12-01" },
  submittedAt: "2026-11-21T10:00:00+02:00",
  changedAt: "2026-11-21T08:00:00.5Z",
};

const ours = {
  applicationId: "M-1",
  status: "AWAITING_PAYMENT",
  statusReasons: [{ code: "R1", message: "Pay.", source: "INSURER" }],
  policy: { ...body.policy, policyNumber: null },
  vehicle: body.vehicle,
  holder: body.holder,
  premium: { net: "212.40", taxes: "37.60", gross: "250.00", currency: "EUR" },
  payment: { code: "RF18", dueDate: "2026-12-01" },
  documents: [],
  createdAt: "2026-11-21T08:00:00.000Z",
  updatedAt: "2026-11-21T08:00:00.500Z",
};

const create = (answer: unknown, more: Partial<ScriptedAnswer> = {}) =>
  callAdapter(
    adapter,
    createApplication,
    { body },
    [{ status: 201, body: JSON.stringify(answer), ...more }],
    { submissionId: "our-id" },
  );

const find = (answers: readonly ScriptedAnswer[], submissionId: string | null) =>
  callAdapter(
    adapter,
    searchApplications,
    { query: { clientAfm: "012345678", start: 1, limit: 1 } },
    answers,
    { submissionId },
  );

describe("searches for a submission at provider D", () => {
  it("the adapter finds an application by the gateway's reference, and returns a page with only this application", async () => {
    expect(adapter.findsByReference?.(searchApplications)).toBe(true);
    const { answer, sent } = await find([{ body: JSON.stringify(theirs) }], "our/id");
    expect(sent).toMatchObject([
      { method: "GET", path: "/mtr-api/v5/applications/by-reference/our%2Fid", acts: false },
    ]);
    expect(answer).toEqual({
      type: "value",
      status: 200,
      value: { items: [ours], start: 1, limit: 1, total: 1 },
    });
  });

  it("the adapter searches by tax number if the search has no reference, and returns the insurer's 404 as a refusal", async () => {
    const { sent } = await find([{ body: '{"applications":[],"count":0}' }], null);
    expect(sent[0]?.path).toMatch(/\/applications\?taxNumber=/);
    const { answer } = await find([{ status: 404, body: '{"code":"MTR-4041"}' }], "our-id");
    expect(answer).toMatchObject({ type: "refusal", status: 404 });
  });
});

describe("applications to provider D", () => {
  it("the adapter sends an application with the gateway's reference, and translates the insurer's answer", async () => {
    const { answer, sent } = await create(theirs);
    expect(sent).toMatchObject([{ method: "POST", path: "/mtr-api/v5/applications", acts: true }]);
    expect(JSON.parse(String(sent[0]?.body))).toEqual({
      contract: theirs.contract,
      vehicle: theirs.vehicle,
      policyholder: theirs.policyholder,
      externalReference: "our-id",
    });
    expect(answer).toEqual({ type: "value", status: 201, value: ours });
  });

  it.each([
    ["NEW", "RECEIVED"],
    ["IN_ASSESSMENT", "UNDER_REVIEW"],
    ["ACCEPTED", "APPROVED"],
    ["REFUSED", "DECLINED"],
    ["LAPSED", "EXPIRED"],
    ["WITHDRAWN", "CANCELLED"],
  ])(
    "the adapter translates the insurer's state %s to the status %s, and returns no policy number",
    async (state, status) => {
      const contract = { ...theirs.contract, policyNumber: "P-1" };
      const { answer } = await create({
        ...theirs,
        state,
        contract,
        charge: null,
        prepay: undefined,
      });
      expect(answer).toMatchObject({
        value: { status, policy: { policyNumber: null }, premium: null, payment: null },
      });
    },
  );

  it("the adapter returns the policy number of an application in the state POLICY", async () => {
    const contract = { ...theirs.contract, policyNumber: "P-1" };
    const { answer } = await create({ ...theirs, state: "POLICY", contract });
    expect(answer).toMatchObject({ value: { status: "ISSUED", policy: { policyNumber: "P-1" } } });
  });

  it.each(["FROZEN", "accepted", "constructor"])(
    "the adapter reports the unknown state %s as UNDER_REVIEW, with a reason from the gateway",
    async (state) => {
      const { answer } = await create({ ...theirs, state });
      expect(answer).toMatchObject({
        value: {
          status: "UNDER_REVIEW",
          statusReasons: [{ code: "R1" }, { code: "UNKNOWN_STATUS", source: "GATEWAY" }],
        },
      });
    },
  );

  it.each([
    ["no state", { ...theirs, state: null }],
    ["a number as the tax number", { ...theirs, policyholder: { taxNumber: 12345678, name: "x" } }],
    ["an amount with three decimals", { ...theirs, charge: { ...theirs.charge, net: 1.005 } }],
    [
      "a date that does not exist",
      { ...theirs, prepay: { paymentCode: "x", payUntil: "2026-02-30" } },
    ],
    ["an instant without a time zone", { ...theirs, submittedAt: "2026-11-21T10:00:00" }],
  ])("the adapter reports the answer to an application as unreadable: %s", async (_, answer) => {
    expect((await create(answer)).answer).toMatchObject({ type: "unreadable", status: 201 });
  });

  it("the adapter translates the insurer's field names in a refusal to declared fields", async () => {
    const refused = { code: "MTR-4221", fields: [{ name: "vehicle.model" }, { name: "other" }] };
    expect((await create(refused, { status: 422 })).answer).toMatchObject({
      type: "refusal",
      status: 422,
      content: { code: "MTR-4221" },
      faults: [{ pointer: "/vehicle/modelCode", code: "INVALID" }],
    });
  });
});

/** Returns the part of the insurer's list from an offset, with a given total of applications. */
function page(offset: number, limit: number, count: number): ScriptedAnswer {
  const length = Math.max(0, Math.min(limit, count - offset));
  const applications = Array.from({ length }, (_, index) => ({
    ...theirs,
    applicationNumber: `M-${offset + index}`,
  }));
  return { body: JSON.stringify({ applications, count }) };
}

describe("searches at provider D", () => {
  it.each([
    { start: 1, limit: 20, asked: [[0, 20]], found: [0, 20] },
    { start: 3, limit: 50, asked: [[2, 50]], found: [2, 52] },
    {
      start: 3,
      limit: 100,
      asked: [
        [2, 50],
        [52, 50],
      ],
      found: [2, 60],
    },
    { start: 61, limit: 20, asked: [[60, 20]], found: [60, 60] },
  ])(
    "the adapter splits a search into the insurer's pages of at most 50: start $start, limit $limit, pages $asked",
    async ({ asked, found, limit, start }) => {
      const count = 60;
      const pages = asked.map(([offset = 0, size = 0]) => page(offset, size, count));
      const query = { clientAfm: "012345678", start, limit };
      const { answer, sent } = await callAdapter(adapter, searchApplications, { query }, pages);
      expect(sent.map(({ path }) => path)).toEqual(
        asked.map(
          ([offset, size]) =>
            `/mtr-api/v5/applications?taxNumber=012345678&offset=${offset}&limit=${size}`,
        ),
      );
      expect(answer).toMatchObject({ type: "value", value: { start, limit, total: count } });
      const { items } = Object(answer.type === "value" ? answer.value : {});
      const [first = 0, end = 0] = found;
      expect(items.map(({ applicationId }: { applicationId: string }) => applicationId)).toEqual(
        Array.from({ length: end - first }, (_, index) => `M-${first + index}`),
      );
    },
  );
});

describe("the login at provider D", () => {
  const credentials = { username: "agent", password: "secret" };
  const logIn = (status: number, body: string) =>
    adapter.login?.(
      credentials,
      async (request) => {
        expect(request).toMatchObject({
          path: "/mtr-api/v5/login",
          body: JSON.stringify(credentials),
        });
        const bytes = Buffer.from(body);
        return {
          status,
          headers: {},
          mediaType: "application/json",
          text: async () => body,
          textWithDocuments: () => Promise.reject(new TypeError("It has no documents")),
          bytes: async () => bytes,
          async *stream() {
            yield bytes;
          },
        };
      },
      { settings: {}, now: () => new Date(0) },
    );

  it("the adapter's login returns the insurer's token and the token's lifetime", async () => {
    expect(await logIn(200, '{"token":"t","expiresIn":1800}')).toEqual({
      headers: { authorization: "Bearer t" },
      expiresInSeconds: 1_800,
    });
  });

  it("the adapter's login returns no headers if the insurer refuses the credentials, and throws if the insurer's answer is unusable", async () => {
    expect(await logIn(401, '{"code":"MTR-4010"}')).toMatchObject({ headers: null });
    await expect(logIn(200, "<h1>")).rejects.toThrow();
    await expect(logIn(503, "{}")).rejects.toThrow();
  });
});
