import type { SandboxRecord } from "@insurance-gateway/adapter/sandbox";
import { answerOf, assertValid, check, jsonAnswerOf, none } from "@insurance-gateway/core/contract";
import { scenarioOf } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { createApplication as examples } from "../src/examples/index.ts";
import type { Application, ApplicationSearch, MotorApplication } from "../src/index.ts";
import { searchApplications } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { application } from "../src/schemas/application.ts";

const now = () => new Date("2026-11-21T08:00:00Z");

function exampleBody(): MotorApplication {
  const [example] = Object.values(examples);
  if (example === undefined) throw new TypeError("There is no example");
  return example.request.body;
}

function bodyOf(afm: string, plateNumber = "ΙΚΥ-1234"): MotorApplication {
  const body = exampleBody();
  return { ...body, vehicle: { ...body.vehicle, plateNumber }, holder: { ...body.holder, afm } };
}

/** Sends an application to the simulated insurer, in the same way as the sandbox's server. */
function create(body: MotorApplication, records: readonly SandboxRecord[] = [], header?: string) {
  const input = { body };
  const scenario = scenarioOf(sandbox.scenarios, "createApplication", input, header);
  const answer = sandbox.handlers.createApplication?.({ input, scenario }, records, now);
  if (answer === undefined) throw new TypeError("The simulated insurer has no handler");
  return answer;
}

type Answer = ReturnType<typeof create>;

function applicationOf(answer: Answer): Application {
  return assertValid(application, "body" in answer ? answer.body : undefined, "the answer");
}

function search(query: ApplicationSearch, records: readonly SandboxRecord[]) {
  const call = { input: { query }, scenario: null };
  const answer = sandbox.handlers.searchApplications?.(call, records, now);
  const page = jsonAnswerOf(answerOf(searchApplications, 200) ?? none);
  if (answer === undefined || page === undefined || !("body" in answer))
    throw new TypeError("The simulated insurer has no answer");
  expect(answer.status).toBe(200);
  expect(check(page, answer.body)).toMatchObject({ valid: true });
  return answer.body;
}

/** Returns the simulated insurer's records after it received these applications in this order. */
function received(...bodies: readonly MotorApplication[]): readonly SandboxRecord[] {
  const records: SandboxRecord[] = [];
  for (const body of bodies) records.push(...(create(body, records).keep ?? []));
  return records;
}

describe("createApplication in the sandbox", () => {
  it("the sandbox answers an application with 201, the sent content and the time", () => {
    const answer = create(exampleBody());
    expect(answer.status).toBe(201);
    expect(applicationOf(answer)).toEqual({
      ...exampleBody(),
      applicationId: "D-000001",
      status: "RECEIVED",
      statusReasons: [],
      policy: { ...exampleBody().policy, policyNumber: null },
      premium: null,
      payment: null,
      documents: [],
      createdAt: "2026-11-21T08:00:00.000Z",
      updatedAt: "2026-11-21T08:00:00.000Z",
    });
  });

  it("the sandbox stores each application under a new identifier", () => {
    const records = received(exampleBody(), exampleBody());
    expect(records).toMatchObject([
      { id: "D-000001", application: { applicationId: "D-000001" } },
      { id: "D-000002", application: { applicationId: "D-000002" } },
    ]);
  });

  it("the sandbox returns equal answers to equal calls if the records and the time are equal", () => {
    expect(create(exampleBody())).toEqual(create(exampleBody()));
  });
});

describe("searchApplications in the sandbox", () => {
  const records = received(
    bodyOf("123456789", "ΑΑΑ-0001"),
    bodyOf("987654321", "ΒΒΒ-0001"),
    bodyOf("123456789", "ΑΑΑ-0002"),
    bodyOf("123456789", "ΑΑΑ-0003"),
  );
  const clientAfm = "123456789";
  const plates = (page: unknown): unknown =>
    Reflect.get(Object(page), "items").map(({ vehicle }: Application) => vehicle.plateNumber);

  it("the sandbox finds only the applications of the requested customer, with the newest first", () => {
    const page = search({ clientAfm }, records);
    expect(plates(page)).toEqual(["ΑΑΑ-0003", "ΑΑΑ-0002", "ΑΑΑ-0001"]);
    expect(page).toMatchObject({ start: 1, limit: 20, total: 3 });
  });

  it("the sandbox returns the requested page and the total number of applications", () => {
    const first = search({ clientAfm, start: 1, limit: 2 }, records);
    const second = search({ clientAfm, start: 3, limit: 2 }, records);
    expect([plates(first), plates(second)]).toEqual([["ΑΑΑ-0003", "ΑΑΑ-0002"], ["ΑΑΑ-0001"]]);
    expect(second).toMatchObject({ start: 3, limit: 2, total: 3 });
  });

  it("the sandbox returns an empty list if no application matches or the page is beyond the end", () => {
    expect(search({ clientAfm: "000000000" }, records)).toMatchObject({ items: [], total: 0 });
    expect(search({ clientAfm, start: 4 }, records)).toMatchObject({ items: [], total: 3 });
    expect(search({ clientAfm }, [])).toMatchObject({ items: [], total: 0 });
  });
});

describe("scenarios of the sandbox", () => {
  /** The simulated insurer's answer in each scenario, and whether it keeps the application. */
  const answers: Readonly<Record<string, { readonly answer: object; readonly kept: boolean }>> = {
    AWAITING_PAYMENT: {
      answer: {
        status: 201,
        body: {
          status: "AWAITING_PAYMENT",
          premium: { gross: "250.00", currency: "EUR" },
          payment: { code: "RF18D-000001", dueDate: "2026-12-01" },
        },
      },
      kept: true,
    },
    UNDER_REVIEW: {
      answer: {
        status: 201,
        body: {
          status: "UNDER_REVIEW",
          statusReasons: [{ code: "REGISTRATION_CERTIFICATE_MISSING", source: "INSURER" }],
        },
      },
      kept: true,
    },
    DECLINED: {
      answer: {
        status: 201,
        body: { status: "DECLINED", statusReasons: [{ code: "UNDERWRITING" }], premium: null },
      },
      kept: true,
    },
    REJECTED: {
      answer: {
        status: 422,
        problem: { code: "PROVIDER_REJECTED", errors: [{ pointer: "/vehicle/modelCode" }] },
      },
      kept: false,
    },
    BROKER_LIMIT: {
      answer: { status: 422, problem: { code: "BROKER_LIMIT_EXCEEDED" } },
      kept: false,
    },
    LOST_ANSWER: { answer: { silence: true }, kept: true },
    UNREADABLE_ANSWER: { answer: { status: 200, mediaType: "text/html" }, kept: true },
    UNAVAILABLE: {
      answer: {
        status: 503,
        headers: { "retry-after": "5" },
        problem: { code: "PROVIDER_UNAVAILABLE" },
      },
      kept: false,
    },
    BUSY: {
      answer: { status: 429, headers: { "retry-after": "2" }, problem: { code: "RATE_LIMITED" } },
      kept: false,
    },
    SLOW: { answer: { status: 201, delayMs: 5_000, body: { status: "RECEIVED" } }, kept: true },
    ISSUED: {
      answer: {
        status: 201,
        body: { status: "ISSUED", policy: { policyNumber: "P-D-000001" }, payment: null },
      },
      kept: true,
    },
  };

  it("every scenario of provider D's sandbox has an expected answer in the tests of the sandbox", () => {
    expect(Object.keys(answers).toSorted()).toEqual(
      sandbox.scenarios.map(({ name }) => name).toSorted(),
    );
  });

  it.each(sandbox.scenarios)(
    "the scenario $name has the documented effect: $effect",
    ({ name, when }) => {
      const expected = answers[name];
      const byValue = create(bodyOf(String(when?.equals)));
      expect(byValue).toMatchObject(expected?.answer ?? {});
      if ("body" in byValue) applicationOf(byValue);
      expect(byValue.keep?.map(({ id }) => id) ?? []).toEqual(expected?.kept ? ["D-000001"] : []);

      const byHeader = create(exampleBody(), [], name);
      expect(byHeader).toMatchObject(expected?.answer ?? {});
    },
  );

  it("the sandbox prefers the scenario in the request's header to a scenario that the tax number selects", () => {
    expect(applicationOf(create(bodyOf("000000036"), [], "ISSUED")).status).toBe("ISSUED");
  });

  it.each(sandbox.scenarios)(
    "the scenario $name is selected by a tax number with a valid check digit",
    ({ when }) => {
      const digits = String(when?.equals).split("").map(Number);
      const sum = digits
        .slice(0, 8)
        .reduce((total, digit, index) => total + digit * 2 ** (8 - index), 0);
      expect(digits).toHaveLength(9);
      expect((sum % 11) % 10).toBe(digits[8]);
    },
  );

  it("a search finds an application that the sandbox stored before a scenario lost or corrupted the answer", () => {
    const records = received(bodyOf("000000061"), bodyOf("000000073"));
    expect(search({ clientAfm: "000000061" }, records)).toMatchObject({ total: 1 });
    expect(search({ clientAfm: "000000073" }, records)).toMatchObject({ total: 1 });
  });
});
