import { describe, expect, it } from "vitest";
import {
  type DialectAnswer,
  type RawAnswer,
  type RawRequest,
  rawRequestOf,
  type SandboxRoute,
} from "../../src/sandbox/index.ts";
import { soapInsurer } from "../../src/sandbox/soap.ts";
import { NAMESPACES, soap, soapMessage, soapProvider } from "../harness/soap.ts";

const { routes } = soapInsurer(soapProvider, soap);
const clock = (): Date => new Date(0);

function routeOf(path: string): SandboxRoute {
  const route = routes.find((one) => one.path === path);
  if (route === undefined) throw new TypeError(`There is no route ${path}`);
  return route;
}

function requestOf(text: string, headers: Readonly<Record<string, string>> = {}): RawRequest {
  const bytes = new TextEncoder().encode(text);
  return rawRequestOf({ method: "POST", path: "/", params: {}, headers, bytes, search: "" });
}

/** Reads a message with the given payload by the route of a path. */
function readBy(
  path: string,
  payload: string,
  headers?: Readonly<Record<string, string>>,
): ReturnType<SandboxRoute["read"]> {
  return routeOf(path).read(requestOf(soapMessage(payload), headers), clock, []);
}

function writtenBy(path: string, payload: string, answer: DialectAnswer, action = ""): RawAnswer {
  const request = requestOf(soapMessage(payload), { soapaction: `"${action}"` });
  return routeOf(path).write(answer, request);
}

function faultOf(code: string): RawAnswer {
  return {
    status: 500,
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: soapMessage(
      `<soap:Fault><faultcode>soap:Client</faultcode><faultstring>${code}</faultstring><detail><code>${code}</code></detail></soap:Fault>`,
    ),
  };
}

const price = (inside: string): string => `<p:price xmlns:p="u:types">${inside}</p:price>`;

describe("a simulated SOAP insurer", () => {
  it("a simulated SOAP insurer has one route for each path, and requires no credentials", () => {
    const { routes: found, ...rest } = soapInsurer(soapProvider, soap);
    expect(found.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /motor",
      "POST /policies",
    ]);
    expect(rest).toEqual({});
    const { printPolicy } = soap.calls;
    const only = soapInsurer(soapProvider, {
      ...soap,
      calls: printPolicy === undefined ? {} : { printPolicy },
    });
    expect(only.routes.map(({ path }) => path)).toEqual(["/policies"]);
  });
});

describe("a message to a simulated SOAP insurer", () => {
  it("the simulated insurer reads the declared query and body of an endpoint from a SOAP message", () => {
    const inside =
      '<p:plate>  ΙΚΥ  1234 </p:plate><p:year>2026</p:year><p:cover>FIRE</p:cover><o:driver xmlns:o="u:other" code="7"><name>Άννα</name></o:driver>';
    const message = price(inside).replace("<p:price ", '<p:price agent="A-1" ');
    expect(readBy("/motor", message)).toEqual({
      call: {
        endpoint: "priceCar",
        input: {
          query: { agent: "A-1" },
          body: {
            plate: "ΙΚΥ 1234",
            year: 2026,
            covers: ["FIRE"],
            driver: { name: "Άννα", code: "7" },
          },
        },
      },
    });
  });

  it("the simulated insurer reads a SOAP message without elements of a list as an input without the list", () => {
    expect(readBy("/motor", price("<p:plate>1</p:plate>"))).toEqual({
      call: { endpoint: "priceCar", input: { query: {}, body: { plate: "1" } } },
    });
  });

  it.each([
    ['"u:price"', "priceCar"],
    ['"u:priceAgain"', "priceAgain"],
    ["u:priceAgain", "priceCar"],
    ['"u:usages"', "priceCar"],
  ])(
    "the action of a SOAP request selects the operation if several operations have the same request element: action %s, operation %s",
    (soapaction, endpoint) => {
      expect(readBy("/motor", price(""), { soapaction })).toMatchObject({ call: { endpoint } });
    },
  );

  it("an empty SOAP message calls the operation without a request element, and is refused on a path without such an operation", () => {
    expect(readBy("/motor", "")).toEqual({
      call: { endpoint: "listUsages", input: { query: {} } },
    });
    expect(readBy("/policies", "")).toEqual({ answer: faultOf("OPERATION_UNKNOWN") });
  });

  it.each([
    ["/motor", '<price xmlns="u:other"/>'],
    ["/motor", '<other xmlns="u:types"/>'],
    ["/policies", price("")],
    ["/policies", '<print xmlns="u:types"/><print xmlns="u:types"/>'],
  ])(
    "the simulated insurer refuses a SOAP message that matches no operation of the requested path: %s with %s",
    (path, payload) => {
      expect(readBy(path, payload)).toEqual({ answer: faultOf("OPERATION_UNKNOWN") });
    },
  );

  it("the simulated SOAP insurer refuses a message that is not XML", () => {
    for (const path of ["/motor", "/policies"]) {
      const answer = faultOf("OPERATION_UNKNOWN");
      expect(routeOf(path).read(requestOf("{}"), clock, [])).toEqual({ answer });
      expect(routeOf(path).write({ status: 200, body: {} }, requestOf("<a>"))).toEqual(answer);
    }
  });

  it("the simulated SOAP insurer refuses a message with a field in a wrong namespace", () => {
    expect(readBy("/motor", price('<plate xmlns="">1</plate>'))).toEqual({
      answer: faultOf("NAMESPACE_UNKNOWN"),
    });
  });

  it("the simulated SOAP insurer reads the client's reference from a message's body, and omits the operator's settings from the input", () => {
    const change = (inside: string): ReturnType<typeof readBy> =>
      readBy("/policies", `<change xmlns="u:types">${inside}</change>`, { "x-key": "K-2" });
    expect(
      change(
        "<broker>B-1</broker><policyId>P-1</policyId><meta><key xmlns=''>K-1</key><note xmlns=''>x</note></meta>",
      ),
    ).toEqual({
      call: {
        endpoint: "changePolicy",
        input: { query: {}, body: { policyId: "P-1", meta: { note: "x" } } },
        reference: "K-1",
      },
    });
    expect(change("<policyId>P-1</policyId>")).toEqual({
      call: { endpoint: "changePolicy", input: { query: {}, body: { policyId: "P-1" } } },
    });
    expect(change("<meta><key xmlns=''>1</key><key xmlns=''>2</key></meta>")).toEqual({
      call: { endpoint: "changePolicy", input: { query: {}, body: { meta: {} } } },
    });
  });

  it("the simulated SOAP insurer reads the client's reference from the declared header, and keeps every field of the message's body", () => {
    const payload = '<renew xmlns="u:types"><meta><key xmlns="">K-1</key></meta></renew>';
    const input = { query: {}, body: { meta: { key: "K-1" } } };
    expect(readBy("/policies", payload, { "x-key": "K-2" })).toEqual({
      call: { endpoint: "renewPolicy", input, reference: "K-2" },
    });
    expect(readBy("/policies", payload)).toEqual({ call: { endpoint: "renewPolicy", input } });
  });
});

describe("an answer of a simulated SOAP insurer", () => {
  const headers = { "content-type": "text/xml; charset=utf-8" };

  it("the simulated SOAP insurer answers with the answer element of the operation", () => {
    const answer: DialectAnswer = { status: 201, body: { premium: "12.50", unknown: 1 } };
    const inside = "<n0:premium>12.50</n0:premium>";
    expect(writtenBy("/motor", price(""), answer)).toEqual({
      status: 200,
      headers,
      body: soapMessage(`<n0:priceResponse ${NAMESPACES}>${inside}</n0:priceResponse>`),
    });
    expect(writtenBy("/motor", price(""), answer, "u:priceAgain")).toEqual({
      status: 200,
      headers,
      body: soapMessage(`<n0:priceAgainResponse ${NAMESPACES}>${inside}</n0:priceAgainResponse>`),
    });
    expect(writtenBy("/motor", "", { status: 200, body: undefined })).toEqual({
      status: 200,
      headers,
      body: soapMessage(`<usagesResponse ${NAMESPACES}></usagesResponse>`),
    });
  });

  it("the simulated SOAP insurer answers without a body if the operation has no answer element", () => {
    const change = '<change xmlns="u:types"/>';
    expect(writtenBy("/policies", change, { status: 204, body: undefined })).toEqual({
      status: 202,
    });
  });

  it("the simulated insurer answers with a SOAP fault that has the code of the problem", () => {
    const problem = { code: "CONFLICT", detail: "It exists." };
    expect(writtenBy("/policies", '<change xmlns="u:types"/>', { status: 409, problem })).toEqual(
      faultOf("CONFLICT"),
    );
  });

  it("a SOAP 1.2 insurer reads the action from the media type, and answers a faulty request with the status 400", () => {
    const newer = soapInsurer(soapProvider, { ...soap, version: "1.2" }).routes[0];
    const text = soapMessage(price("")).replace(
      "http://schemas.xmlsoap.org/soap/envelope/",
      "http://www.w3.org/2003/05/soap-envelope",
    );
    const type = "application/soap+xml; charset=utf-8";
    const request = requestOf(text, { "content-type": `${type}; action="u:priceAgain"` });
    expect(newer?.read(request, clock, [])).toMatchObject({ call: { endpoint: "priceAgain" } });
    expect(newer?.write({ status: 200, body: { premium: "1" } }, request)).toMatchObject({
      status: 200,
      headers: { "content-type": type },
      body: expect.stringMatching(/2003\/05\/soap-envelope.*priceAgainResponse/),
    });
    const problem = { code: "CONFLICT", detail: "It exists." };
    expect(newer?.write({ status: 409, problem }, request)).toMatchObject({
      status: 400,
      body: expect.stringContaining("<soap:Value>soap:Sender</soap:Value>"),
    });
  });

  it("the simulated insurer writes a document in base64, with its size if the dialect declares a size", () => {
    const file = new TextEncoder().encode("%PDF-");
    const print = '<print xmlns="u:types"/>';
    expect(writtenBy("/policies", print, { status: 200, file })).toEqual({
      status: 200,
      headers,
      body: soapMessage(
        `<n0:printResponse ${NAMESPACES}><n0:pdf>JVBERi0=</n0:pdf><n0:size>5</n0:size></n0:printResponse>`,
      ),
    });
    const { document = { base64: "", mediaType: "" }, ...call } = soap.calls.printPolicy ?? {
      path: "",
      action: "",
    };
    const { size: _, ...unsized } = document;
    for (const [printPolicy, inside] of [
      [{ ...call, document: unsized }, "<n0:pdf>JVBERi0=</n0:pdf>"],
      [call, ""],
    ] as const) {
      const [route] = soapInsurer(soapProvider, { ...soap, calls: { printPolicy } }).routes;
      const answer = route?.write({ status: 200, file }, requestOf(soapMessage(print)));
      expect(answer?.body).toBe(
        soapMessage(`<n0:printResponse ${NAMESPACES}>${inside}</n0:printResponse>`),
      );
    }
  });
});
