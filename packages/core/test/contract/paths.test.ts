import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, none, submission } from "../../src/contract/index.ts";
import { namedParameters, pathSegments, routerPattern } from "../../src/runtime.ts";
import { strict, text } from "../../src/schema/index.ts";
import { reading, refusalOf } from "../harness/refused.ts";

const params = strict<{ id: string }>({ id: text() });

describe("path templates of a provider", () => {
  describe("path templates that could match the same request", () => {
    it.each([
      ["/things/{id}", "/things/{other}"],
      ["/things/{id}", "/things/{id}.pdf"],
      ["/things/{id}:cancel", "/things/{id}"],
      ["/things/v{id}", "/things/{id}.pdf"],
      ["/things/new/{id}", "/things/{id}/lines"],
      ["/{id}/new/lines", "/old/{id}/lines"],
    ])(
      "the declaration check refuses two endpoints whose path templates match the same request: %s and %s",
      (one, two) => {
        expect(refusalOf({ one: reading(one), two: reading(two) })).toBe(
          `two and one match the same requests: GET ${two} and GET ${one}`,
        );
      },
    );

    it.each([
      ["/things/{id}", "/things/new"],
      ["/things/{id}.pdf", "/things/{id}.csv"],
      ["/things/{id}.pdf", "/things/terms.pdf"],
      ["/things/{id}/lines", "/things/new/lines"],
      ["/things/{id}", "/things/{id}/lines"],
      ["/things/{id}.pdf", "/things/.pdf"],
      ["/things/{id}", "/things/"],
      ["/things", "/things/"],
      ["/things/{id}/", "/things/{id}"],
      ["/", "/{id}"],
    ])(
      "the declaration check accepts two path templates if one has more literal text or no request matches both: %s and %s",
      (one, two) => {
        expect(refusalOf({ one: reading(one), two: reading(two) })).toBe("accepted");
      },
    );

    it("the declaration check accepts two overlapping path templates if a parameter's schema excludes the literal text of the other template", () => {
      const id = z.string().check(z.regex(/^[0-9a-f]{8}$/));
      const lines: Endpoint = {
        ...reading("/things/{id}/lines"),
        params: strict<{ id: string }>({ id }),
      };
      expect(refusalOf({ one: reading("/things/new/{code}"), lines })).toBe("accepted");
      expect(refusalOf({ lines, two: reading("/things/new/{code}") })).toBe("accepted");
      expect(refusalOf({ lines, three: reading("/things/0a1b2c3d/{code}") })).toContain(
        "three and lines match the same requests",
      );
      // The first literal selects the route, so a later literal changes nothing.
      const code: Endpoint = {
        ...reading("/things/new/{code}"),
        params: strict<{ code: string }>({ code: id }),
      };
      expect(refusalOf({ one: reading("/things/{id}/lines"), code })).toContain(
        "code and one match the same requests",
      );
    });

    it("the declaration check accepts equal path templates if the methods differ, regardless of the parameter names", () => {
      const cancel = submission<{ params: { policy_id: string }; response: undefined }>({
        provider: "provider-m",
        method: "DELETE",
        path: "/things/{policy_id}",
        params: strict<{ policy_id: string }>({ policy_id: text() }),
        response: { 204: none },
      });
      expect(refusalOf({ one: reading("/things/{id}"), cancel })).toBe("accepted");
    });
  });

  it.each(["/", "/things/", "/things/{id}/"])("an endpoint may have the path %s", (path) => {
    expect(refusalOf({ declared: reading(path) })).toBe("accepted");
  });

  it.each(["{id", "/x", "{1d}", "{a}{b}", "{a}-{b}", "a*", "a b", "..", ".", "{a/b}", "%41"])(
    "the declaration check refuses a path that contains the segment %s",
    (segment) => {
      const declared = { ...reading("/x"), path: `/things/${segment}`, params };
      expect(refusalOf({ declared })).toContain("must be segments or {parameters}");
    },
  );
});

describe("path templates", () => {
  it.each([
    ["/", [{ before: "", parameter: null, after: "" }]],
    [
      "/a~b/{id}",
      [
        { before: "a~b", parameter: null, after: "" },
        { before: "", parameter: "id", after: "" },
      ],
    ],
    [
      "/v-{id_1}.pdf/",
      [
        { before: "v-", parameter: "id_1", after: ".pdf" },
        { before: "", parameter: null, after: "" },
      ],
    ],
    ["", null],
    ["a", null],
    ["//a", null],
    ["/./a", null],
    ["/a/..", null],
    ["/{}", null],
  ])("the path template %j is split into the segments %j", (template, segments) => {
    expect(pathSegments(template)).toEqual(segments);
  });

  it("a path template is converted to a pattern for routers, and the router's parameters are renamed to the template's names", () => {
    const template = "/a:b/{one}/x{two-2}:cancel/{three}";
    expect(routerPattern(template)).toBe("/a::b/:p0/x:p1(.+)::cancel/:p2");
    expect(routerPattern("/")).toBe("/");
    const found = { p0: "1", p1: "2", p2: "3", p3: "4" };
    expect(namedParameters(template, found)).toEqual({ one: "1", "two-2": "2", three: "3" });
    expect(namedParameters("/a", found)).toEqual({});
    expect(() => routerPattern("/{a}{b}")).toThrow(
      new TypeError("The path /{a}{b} must be a path template"),
    );
  });
});
