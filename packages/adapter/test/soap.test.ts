import { lookup, submission } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { type AdapterAnswer, type AdapterContext, charsetWriter, plainText } from "../src/index.ts";
import { type SoapDialect, soapDialect, soapFault, writeSoap } from "../src/soap/index.ts";
import { callOffline, type InsurerAnswer, type OfflineCall } from "./harness/call-offline.ts";
import { providerWith } from "./harness/declarations.ts";
import { soapMessage, usernameToken } from "./harness/soap.ts";

const anything = loose<object>({});
const listBrands = lookup<{ response: object }>({
  provider: "provider-m",
  path: "/brands",
  response: { 200: anything },
});
const createPolicy = submission<{ body: { name: string }; response: object }>({
  provider: "provider-m",
  path: "/policies",
  body: strict<{ name: string }>({ name: text() }),
  response: { 201: anything },
  idempotency: "none",
});
const endpoints = { listBrands, createPolicy };
const provider = providerWith(endpoints);

const plain: SoapDialect<typeof provider> = {
  failures: [],
  path: "/soap",
  namespace: "u:insurer",
  faults: { list: "/fault/detail/field", field: "", names: { Name: "/name" } },
  calls: {
    listBrands: {
      operation: "brands",
      body: [["/settings/agent", "/agent", plainText]],
      value: [{ list: ["/items", "/brand"], each: plainText }],
    },
    createPolicy: {
      operation: "create",
      action: "u:action",
      body: [["/body/name", "/Name", plainText]],
      status: 201,
      value: [["/policyId", "/Id", plainText]],
    },
  },
};

interface Given {
  readonly insurer?: InsurerAnswer;
  readonly dialect?: SoapDialect<typeof provider>;
  readonly login?: AdapterContext["login"];
}

/** Calls an endpoint in a SOAP dialect. The insurer returns the given answer. */
function call(
  name: keyof typeof endpoints,
  input: Partial<CheckedInput>,
  { dialect = plain, insurer = {}, login = null }: Given = {},
): Promise<OfflineCall> {
  return callOffline(
    soapDialect(provider, dialect),
    endpoints[name],
    input,
    { mediaType: "text/xml", ...insurer },
    { settings: { agent: "0042" }, login },
  );
}

describe("a request in a SOAP dialect", () => {
  const headers = { accept: "text/xml", "content-type": "text/xml; charset=utf-8" };

  it("the elements of a SOAP request have the insurer's namespace, or no namespace if the dialect is unqualified", async () => {
    expect((await call("listBrands", {})).sent).toEqual([
      {
        method: "POST",
        path: "/soap",
        headers: { ...headers, soapaction: '"u:insurer/brands"' },
        body: soapMessage('<brands xmlns="u:insurer"><agent>0042</agent></brands>'),
        acts: false,
      },
    ]);
    const unqualified = { dialect: { ...plain, isUnqualified: true } as const };
    expect((await call("createPolicy", { body: { name: "Ω" } }, unqualified)).sent).toEqual([
      {
        method: "POST",
        path: "/soap",
        headers: { ...headers, soapaction: '"u:action"' },
        body: soapMessage('<ins:create xmlns:ins="u:insurer"><Name>Ω</Name></ins:create>'),
        acts: true,
      },
    ]);
  });

  it("a SOAP request has a UsernameToken if the dialect requires this token and the account has a login", async () => {
    const login = { username: "αgent", password: "<&>" };
    const dialect = { ...plain, hasUsernameToken: true } as const;
    const brands = '<brands xmlns="u:insurer"><agent>0042</agent></brands>';
    const bodyOf = async (given: Given): Promise<unknown> =>
      (await call("listBrands", {}, given)).sent[0]?.body;
    expect(await bodyOf({ dialect, login })).toBe(
      soapMessage(brands, usernameToken("αgent", "&lt;&amp;&gt;")),
    );
    expect([await bodyOf({ dialect }), await bodyOf({ login })]).toEqual([
      soapMessage(brands),
      soapMessage(brands),
    ]);
  });

  it("a SOAP request is written in the insurer's charset, and not sent if the charset lacks a character", async () => {
    const dialect = { ...plain, charset: "iso-8859-7" } as const;
    const { sent } = await call("createPolicy", { body: { name: "Ά" } }, { dialect });
    const message = soapMessage('<create xmlns="u:insurer"><Name>Ά</Name></create>');
    expect(sent).toMatchObject([{ headers: { "content-type": "text/xml; charset=iso-8859-7" } }]);
    expect(sent[0]?.body).toEqual(
      charsetWriter("iso-8859-7").write(message.replace("UTF-8", "ISO-8859-7")),
    );
    const { answer, sent: none } = await call("createPolicy", { body: { name: "ж" } }, { dialect });
    expect(none).toEqual([]);
    expect(answer).toEqual({
      type: "unsendable",
      faults: [
        {
          pointer: "/name",
          code: "VALUE",
          message: "has a character that the insurer's charset does not have",
        },
      ],
    });
  });
});

describe("a SOAP 1.2 dialect", () => {
  const dialect = { ...plain, version: "1.2" } as const;
  const body = { name: "Ω" };
  const message = (inside: string): string =>
    `<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body>${inside}</e:Body></e:Envelope>`;
  const mediaType = "application/soap+xml";

  it("a SOAP 1.2 request names its action in the media type and has no SOAPAction header", async () => {
    const { sent } = await call("createPolicy", { body }, { dialect });
    expect(sent[0]?.headers).toEqual({
      accept: "application/soap+xml",
      "content-type": 'application/soap+xml; charset=utf-8; action="u:action"',
    });
    expect(sent[0]?.body).toContain('xmlns:soap="http://www.w3.org/2003/05/soap-envelope"');
  });

  it("a SOAP 1.2 dialect reads an answer of SOAP 1.2 and refuses an answer of SOAP 1.1", async () => {
    const inside = '<createResponse xmlns="u:insurer"><Id>7</Id></createResponse>';
    const answers = [message(inside), soapMessage(inside)].map(
      async (text) =>
        (await call("createPolicy", { body }, { dialect, insurer: { mediaType, text } })).answer
          .type,
    );
    expect(await Promise.all(answers)).toEqual(["value", "unreadable"]);
  });

  it("a SOAP 1.2 fault becomes a refusal with the fault's codes and detail, but without the fault's reason", async () => {
    const fault = soapFault("client", "Μαρία", { Code: "S-1" }, "1.2");
    const text = writeSoap(fault, { version: "1.2" }).replace(
      "</soap:Code>",
      "<soap:Subcode><soap:Value>x:Limit</soap:Value></soap:Subcode></soap:Code>",
    );
    expect(
      (await call("createPolicy", { body }, { dialect, insurer: { mediaType, status: 400, text } }))
        .answer,
    ).toEqual({
      type: "refusal",
      status: 400,
      mediaType: "application/soap+xml",
      content: { fault: { code: "Sender", subcode: "Limit", detail: { Code: "S-1" } } },
      faults: [],
    });
  });
});

describe("an answer in a SOAP dialect", () => {
  const body = { name: "Ω" };
  const brands = (inside: string): string =>
    soapMessage(`<brandsResponse xmlns="u:insurer">${inside}</brandsResponse>`);

  it("a SOAP answer becomes the mapped value of the operation's element, without elements of foreign namespaces", async () => {
    const text = brands("<brand>A</brand><brand>B</brand><x xmlns='u:foreign'>1</x>");
    const { answer, decoded } = await call("listBrands", {}, { insurer: { text } });
    expect(answer).toEqual({ type: "value", status: 200, value: { items: ["A", "B"] } });
    expect(decoded).toEqual([
      {
        content: { brand: ["A", "B"] },
        form: {
          type: "mapped",
          status: 200,
          mapping: { lists: "repeated" },
          unread: [],
          rows: plain.calls.listBrands.value,
          beside: [],
        },
      },
    ]);
    const one = await call(
      "listBrands",
      {},
      { insurer: { text: brands("<brand xmlns=''>A</brand>") } },
    );
    expect(one.answer).toMatchObject({ value: { items: ["A"] } });
  });

  it.each([
    [200, 201],
    [202, 202],
  ])(
    "a successful SOAP answer has the declared status, except that 202 stays 202: insurer's status %i, gateway's %i",
    async (status, ours) => {
      const answer = soapMessage('<createResponse xmlns="u:insurer"><Id> 7 </Id></createResponse>');
      expect(
        (await call("createPolicy", { body }, { insurer: { status, text: answer } })).answer,
      ).toEqual({
        type: "value",
        status: ours,
        value: { policyId: "7" },
      });
    },
  );

  it.each([
    ["another element", soapMessage('<otherResponse xmlns="u:insurer"/>')],
    ["another namespace", soapMessage('<createResponse xmlns="u:other"/>')],
    ["no element", soapMessage("")],
    ["two elements", soapMessage('<createResponse xmlns="u:insurer"/><a/>')],
    ["two bodies", soapMessage("").replace("<soap:Body></soap:Body>", "<soap:Body/><soap:Body/>")],
    ["another root element", "<a/>"],
    ["no XML markup", "{}"],
    ["an undeclared namespace prefix", soapMessage("<q:createResponse/>")],
  ])(
    "the adapter reports that a SOAP answer with %s is not the operation's message",
    async (_, text) => {
      expect((await call("createPolicy", { body }, { insurer: { text } })).answer).toMatchObject({
        type: "unreadable",
        status: 200,
        detail: expect.stringContaining("is not the operation's SOAP message"),
      });
    },
  );

  it("the report of an unreadable SOAP answer names the fault in the answer's XML", async () => {
    const text = soapMessage("<q:createResponse/>");
    expect((await call("createPolicy", { body }, { insurer: { text } })).answer).toMatchObject({
      detail: expect.stringContaining("it uses the prefix q, which it does not declare"),
    });
  });

  it("a SOAP answer is a refusal if the answer's success field has another value than the dialect declares", async () => {
    const dialect = { ...plain, envelope: { at: "/State", success: ["OK"] } };
    const answerOf = async (state: string): Promise<AdapterAnswer> => {
      const inside = `<State>${state}</State><Id>7</Id>`;
      const text = soapMessage(`<createResponse xmlns="u:insurer">${inside}</createResponse>`);
      return (await call("createPolicy", { body }, { dialect, insurer: { text } })).answer;
    };
    expect(await answerOf("OK")).toMatchObject({ type: "value", value: { policyId: "7" } });
    expect(await answerOf("E12")).toMatchObject({
      type: "refusal",
      status: 200,
      mediaType: "text/xml",
      content: { State: "E12" },
    });
  });

  it("a SOAP answer whose value cannot be mapped is unreadable, and the report names the field", async () => {
    const text = soapMessage('<createResponse xmlns="u:insurer"><Id/></createResponse>');
    expect((await call("createPolicy", { body }, { insurer: { text } })).answer).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's answer does not have the expected form at /Id.",
    });
  });

  it("a SOAP fault becomes a refusal that names the faulty fields of the request", async () => {
    const text = soapMessage(
      "<soap:Fault><faultcode>soap:Client</faultcode><detail><field xmlns='u:insurer'>Name</field><field>Other</field></detail></soap:Fault>",
    );
    expect(
      (await call("createPolicy", { body }, { insurer: { status: 500, text } })).answer,
    ).toEqual({
      type: "refusal",
      status: 500,
      mediaType: "text/xml",
      content: { fault: { code: "Client", detail: { field: ["Name", "Other"] } } },
      faults: [{ pointer: "/name", code: "INVALID", message: "was refused by the insurer" }],
    });
    const insurer = { status: 502, mediaType: "text/html", text };
    expect((await call("createPolicy", { body }, { insurer })).answer).toEqual({
      type: "refusal",
      status: 502,
      mediaType: "text/html",
      content: null,
      faults: [],
    });
  });
});
