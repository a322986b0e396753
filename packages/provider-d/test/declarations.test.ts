import { answerOf, assertValid, check, jsonAnswerOf, none } from "@insurance-gateway/core/contract";
import { encodeQuery, inputChecker, type RawInput } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
// @boundaries-ignore the seven requests are one fixture for every test level of the repository
import { specificationRequests } from "../../../tooling/specification/src/index.ts";
import {
  createApplication as createExamples,
  searchApplications as searchExamples,
} from "../src/examples/index.ts";
import { createApplication, providerD, searchApplications } from "../src/index.ts";
import { application } from "../src/schemas/application.ts";
import { applicationSearch } from "../src/schemas/application-search.ts";
import { motorApplication } from "../src/schemas/motor-application.ts";

const nothing: RawInput = { params: {}, search: "", body: undefined };

function requestNumber(wanted: number) {
  const found = specificationRequests().find(({ number }) => number === wanted);
  if (found === undefined) throw new TypeError(`The specification has no request ${wanted}`);
  return found;
}

describe("the declaration of provider D", () => {
  it("provider D declares exactly the two endpoints that the interface specification has for provider D", () => {
    expect(providerD.endpoints).toEqual({ createApplication, searchApplications });
    expect(createApplication).toMatchObject({
      kind: "submission",
      method: "POST",
      path: "/applications",
    });
    expect(searchApplications).toMatchObject({
      kind: "search",
      method: "GET",
      path: "/applications/search",
    });
  });

  it("createApplication declares how the gateway finds a submission whose outcome is `unknown`", () => {
    expect(createApplication).toMatchObject({
      idempotency: "reconcile",
      reconcile: {
        endpoint: "searchApplications",
        parameters: { clientAfm: { from: "/holder/afm" } },
        createdAt: "/createdAt",
      },
      same: [
        "/policy/startDate",
        "/policy/endDate",
        { at: "/vehicle/plateNumber", normaliser: { name: "plate" } },
        "/holder/afm",
      ],
      settleAfterMs: 60_000,
      insurerId: "/applicationId",
    });
  });
});

describe("requests of the specification", () => {
  it("request 4 of the interface specification is valid, although its start date is past and its tax number has a wrong check digit", () => {
    const { body, method, path, endpoint } = requestNumber(4);
    expect(body).toMatchObject({
      policy: { startDate: "2019-03-01" },
      holder: { afm: "123456789" },
    });
    expect({ method, path }).toEqual({ method: "POST", path: createApplication.path });
    expect(endpoint).toBe("createApplication");
    expect(inputChecker(createApplication)({ ...nothing, body })).toMatchObject({
      valid: true,
      value: { body },
    });
  });

  it("request 6 of the interface specification is valid", () => {
    const { query, path } = requestNumber(6);
    expect(path).toBe(searchApplications.path);
    const search = encodeQuery(query ?? {}).slice(1);
    expect(inputChecker(searchApplications)({ ...nothing, search })).toMatchObject({
      valid: true,
      value: { query },
    });
  });
});

describe("the examples of provider D", () => {
  it.each(Object.entries(createExamples))(
    "the example %s of createApplication matches the declared schemas",
    (name, example) => {
      expect(assertValid(motorApplication, example.request.body, name)).toEqual(
        example.request.body,
      );
      expect(assertValid(application, example.response, name)).toEqual(example.response);
    },
  );

  it.each(Object.entries(searchExamples))(
    "the example %s of searchApplications matches the declared schemas",
    (name, example) => {
      const page = jsonAnswerOf(answerOf(searchApplications, 200) ?? none);
      expect(assertValid(applicationSearch, example.request.query, name)).toEqual(
        example.request.query,
      );
      expect(page && check(page, example.response)).toEqual({
        valid: true,
        value: example.response,
      });
    },
  );
});

describe("applications", () => {
  const body = Object.values(createExamples)[0]?.request.body;

  function faultsOf(changes: object): readonly string[] {
    const checked = inputChecker(createApplication)({ ...nothing, body: { ...body, ...changes } });
    return checked.valid ? [] : checked.faults.map(({ pointer, code }) => `${pointer} ${code}`);
  }

  it("the schema of an application refuses a missing field and a field that the interface specification does not have", () => {
    expect(faultsOf({ policy: {}, vehicle: {}, holder: {} })).toEqual([
      "/policy/startDate REQUIRED",
      "/policy/endDate REQUIRED",
      "/vehicle/plateNumber REQUIRED",
      "/vehicle/manufacturerCode REQUIRED",
      "/vehicle/modelCode REQUIRED",
      "/holder/afm REQUIRED",
      "/holder/fullName REQUIRED",
    ]);
    expect(faultsOf({ note: "x" })).toEqual(["/note UNKNOWN_FIELD"]);
  });

  it.each(["2026-12-01", "2026-11-30"])(
    "the schema of an application refuses a policy that starts on 2026-12-01 and ends on %s",
    (endDate) => {
      expect(faultsOf({ policy: { startDate: "2026-12-01", endDate } })).toEqual([
        "/policy/endDate DATE_ORDER",
      ]);
    },
  );

  it("the schema of an application accepts plates in Greek or Latin letters, and the code or the name of a model", () => {
    for (const plateNumber of ["ΙΚΥ-1234", "IKY1234"])
      for (const modelCode of ["YARIS", "Yaris Cross Hybrid"])
        expect(faultsOf({ vehicle: { plateNumber, manufacturerCode: "TOY", modelCode } })).toEqual(
          [],
        );
  });

  it("the schema of the insurer's answer accepts an application with an undeclared field and an undeclared status", () => {
    const [example] = Object.values(createExamples);
    const answer = { ...example?.response, status: "ARCHIVED", agent: { code: "7" } };
    expect(check(application, answer)).toEqual({ valid: true, value: answer });
  });
});
