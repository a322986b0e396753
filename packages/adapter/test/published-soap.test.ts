import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import type {
  Adapter,
  AdapterAnswer,
  AdapterContext,
  DecodedBody,
  InsurerRequest,
} from "../src/index.ts";
import { textWithDocuments } from "../src/index.ts";
import { type PublishedSoap, publishedSoap } from "../src/soap/index.ts";
import { NAMESPACES, soap, soapMessage, soapProvider } from "./harness/soap.ts";

interface Answer {
  readonly status?: number;
  readonly mediaType?: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Called {
  readonly answer: AdapterAnswer;
  readonly sent: readonly InsurerRequest[];
  /** The decoded answers that the adapter reported. */
  readonly decoded: readonly DecodedBody[];
}

/** Calls an endpoint of an imported WSDL; the insurer returns one answer. */
async function call(
  called: keyof typeof soapProvider.endpoints | Endpoint,
  input: Partial<CheckedInput>,
  { headers = {}, mediaType = "text/xml", status = 200, text = soapMessage("") }: Answer = {},
  more: Partial<AdapterContext> = {},
  adapter: Adapter = publishedSoap(soapProvider, soap),
): Promise<Called> {
  const sent: InsurerRequest[] = [];
  const decoded: DecodedBody[] = [];
  const bytes = new TextEncoder().encode(text);
  const answer = await adapter.call(
    typeof called === "string" ? soapProvider.endpoints[called] : called,
    { params: {}, query: {}, headers: {}, body: undefined, ...input },
    async (request) => {
      sent.push(request);
      return {
        status,
        headers,
        mediaType,
        text: async () => text,
        textWithDocuments: async () =>
          textWithDocuments(bytes, (part) => new TextDecoder().decode(part)),
        bytes: async () => bytes,
        async *stream() {
          yield bytes;
        },
      };
    },
    {
      submissionId: null,
      settings: { brokerCode: "B-1" },
      login: null,
      now: () => new Date(0),
      wait: async () => true,
      decoded: (body) => decoded.push(body),
      ...more,
    },
  );
  return { answer, sent, decoded };
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const headers = {
  accept: "text/xml",
  "content-type": "text/xml; charset=utf-8",
};

describe("a request to an insurer with an imported WSDL", () => {
  it("a SOAP request has the query and body fields as attributes and elements, in the order of the schema", async () => {
    const body = {
      driver: { code: "7", name: null },
      covers: ["FIRE", "<&>"],
      year: 2026,
      plate: "ΙΚΥ 1234",
    };
    const { sent } = await call("priceCar", { query: { agent: "A-1" }, body });
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/motor?wsdl=1",
        headers: { ...headers, soapaction: '"u:price"' },
        body: soapMessage(
          `<n0:price ${NAMESPACES} agent="A-1"><n0:plate>ΙΚΥ 1234</n0:plate><n0:year>2026</n0:year>` +
            "<n0:cover>FIRE</n0:cover><n0:cover>&lt;&amp;&gt;</n0:cover>" +
            '<n1:driver code="7"><name xsi:nil="true"></name></n1:driver></n0:price>',
        ),
        acts: false,
      },
    ]);
  });

  it("a SOAP request has an empty body if the operation has no request element", async () => {
    expect((await call("listUsages", {})).sent).toEqual([
      {
        method: "POST",
        path: "/motor",
        headers: { ...headers, soapaction: '"u:usages"' },
        body: soapMessage(""),
        acts: false,
      },
    ]);
  });

  it.each([
    ["our-id", { brokerCode: "B-1" }, "<n0:broker>B-1</n0:broker>", "<key>our-id</key>"],
    ["our-id", {}, "", "<key>our-id</key>"],
    [null, {}, "", ""],
  ])(
    "a SOAP request has the submission's ID and the configured settings in its body: ID %j, settings %j",
    async (submissionId, settings, broker, key) => {
      const body = { policyId: "P-1", meta: { note: "x" } };
      const { sent } = await call("changePolicy", { body }, {}, { submissionId, settings });
      expect(sent).toEqual([
        {
          method: "POST",
          path: "/policies",
          headers: { ...headers, soapaction: '"u:change"' },
          body: soapMessage(
            `<n0:change ${NAMESPACES}>${broker}<n0:policyId>P-1</n0:policyId><n0:meta>${key}<note>x</note></n0:meta></n0:change>`,
          ),
          acts: true,
        },
      ]);
    },
  );

  it.each([
    ["our-id", { "x-key": "our-id" }],
    [null, {}],
  ])(
    "a SOAP request has the submission's ID in the declared header: ID %j",
    async (submissionId, key) => {
      const { sent } = await call(
        "renewPolicy",
        { body: { policyId: "P-1" } },
        {},
        { submissionId },
      );
      expect(sent).toMatchObject([
        {
          headers: { ...headers, soapaction: '"u:renew"', ...key },
          body: soapMessage(`<n0:renew ${NAMESPACES}><n0:policyId>P-1</n0:policyId></n0:renew>`),
          acts: true,
        },
      ]);
      expect(Object.keys(sent[0]?.headers ?? {})).toHaveLength(3 + Object.keys(key).length);
    },
  );

  it("a SOAP request has the account's user name and password if the dialect requires a login in the message", async () => {
    const login = { username: "broker", password: "secret" };
    const bodyOf = async (
      dialect: PublishedSoap<typeof soapProvider>,
      context: Partial<AdapterContext>,
    ): Promise<unknown> => {
      const adapter = publishedSoap(soapProvider, dialect);
      return (await call("listUsages", {}, {}, context, adapter)).sent[0]?.body;
    };
    const wanted = { ...soap, hasUsernameToken: true } as const;
    const oasis = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
    expect(await bodyOf(wanted, { login })).toBe(
      soapMessage(
        "",
        `<soap:Header><wsse:Security xmlns:wsse="${oasis}-wssecurity-secext-1.0.xsd" soap:mustUnderstand="1">` +
          `<wsse:UsernameToken><wsse:Username>broker</wsse:Username><wsse:Password Type="${oasis}-username-token-profile-1.0#PasswordText">secret</wsse:Password>` +
          "</wsse:UsernameToken></wsse:Security></soap:Header>",
      ),
    );
    expect(await bodyOf(wanted, { login: null })).toBe(soapMessage(""));
    expect(await bodyOf(soap, { login })).toBe(soapMessage(""));
  });

  it.each<[string, Partial<CheckedInput>, string, string]>([
    [
      "a control character",
      { body: { plate: "a\u0000" } },
      "/plate",
      "cannot be written in the insurer's format",
    ],
    [
      "a control character in a parameter",
      { query: { agent: "a\u0000" }, body: { plate: "1" } },
      "/query/agent",
      "cannot be written in the insurer's format",
    ],
    [
      "an object in place of a text",
      { body: { plate: {} } },
      "/plate",
      "cannot be written in the insurer's format",
    ],
    [
      "a single text in place of a list",
      { body: { covers: "FIRE" } },
      "/covers",
      "cannot be written in the insurer's format",
    ],
    [
      "a text in place of an object",
      { body: { driver: "Άννα" } },
      "/driver",
      "cannot be written in the insurer's format",
    ],
    [
      "the number NaN in an object",
      { body: { driver: { name: Number.NaN } } },
      "/driver/name",
      "cannot be written in the insurer's format",
    ],
    [
      "half of a surrogate pair in a list",
      { body: { covers: ["FIRE", "\ud800"] } },
      "/covers/1",
      "cannot be written in the insurer's format",
    ],
  ])("the adapter does not send a SOAP request with %s", async (_, input, pointer, message) => {
    const { answer, sent } = await call("priceCar", input);
    expect(sent).toEqual([]);
    expect(answer).toEqual({
      type: "unsendable",
      faults: [{ pointer, code: "VALUE", message }],
    });
  });

  it("the error for an invalid setting of the operator names the setting, and no field of the caller's request", async () => {
    const settings = { brokerCode: "\u0000" };
    const body = { policyId: "P-1" };
    await expect(call("changePolicy", { body }, {}, { settings })).rejects.toMatchObject({
      name: "UnsendableError",
      message: "The value at /settings/brokerCode cannot be written in the insurer's format",
      place: "/settings/brokerCode",
    });
    // Without a configured setting, the client's field is sent, so the fault names this field.
    const own = await call("changePolicy", { body: { broker: "\u0000" } }, {}, { settings: {} });
    expect(own.answer).toMatchObject({ faults: [{ pointer: "/broker" }] });
  });
});

const priced = (inside: string): Answer => ({
  text: soapMessage(`<a:priceResponse xmlns:a="u:types">${inside}</a:priceResponse>`),
});

describe("an answer of an insurer with an imported WSDL", () => {
  const body = { plate: "1" };

  it("a SOAP answer becomes the value of the operation's answer element, with the declared success status", async () => {
    const inside = "<a:premium>+012.50</a:premium><a:more>1</a:more><b xmlns='u:foreign'/>";
    const { answer, decoded } = await call("priceCar", { body }, priced(inside));
    const value = { premium: "12.50", more: "1" };
    expect(answer).toEqual({ type: "value", status: 200, value });
    expect(decoded).toEqual([
      { content: value, form: { type: "declared", status: 200, mediaType: "application/json" } },
    ]);
    const again = priced("<a:premium>1</a:premium>").text?.replaceAll("priceR", "priceAgainR");
    expect((await call("priceAgain", { body }, { text: again ?? "" })).answer).toEqual({
      type: "value",
      status: 201,
      value: { premium: "1" },
    });
  });

  it.each([
    ["007", "7"],
    ["-007.10", "-7.10"],
    [".5", "0.5"],
    ["5.", "5"],
    [".", "."],
    ["+", "+"],
    ["1e3", "1e3"],
  ])(
    "a decimal number in a SOAP answer is changed to its usual form: %s becomes %s",
    async (written, expected) => {
      const { answer } = await call(
        "priceCar",
        { body },
        priced(`<a:premium>${written}</a:premium>`),
      );
      expect(answer).toEqual({ type: "value", status: 200, value: { premium: expected } });
    },
  );

  it("the answer of an operation without an answer element has no value, and the declared status", async () => {
    const { answer, decoded } = await call("changePolicy", { body }, { status: 202, text: "" });
    expect([answer, decoded]).toEqual([{ type: "value", status: 204, value: undefined }, []]);
  });

  it.each<[string, Answer, string]>([
    ["an empty message", { text: soapMessage("") }, "value"],
    ["an empty text", { mediaType: "text/plain", text: "\n" }, "value"],
    ["a web page", { mediaType: "text/html", text: "<h1>Log in</h1>" }, "unreadable"],
    ["a web page as XML", { text: "<html><body>Log in</body></html>" }, "unreadable"],
    [
      "JSON of another service",
      { mediaType: "application/json", text: '{"code":1}' },
      "unreadable",
    ],
  ])(
    "an operation without an answer element succeeds only with an empty message or an empty text: %s",
    async (_, sent, type) => {
      expect((await call("changePolicy", { body }, sent)).answer).toMatchObject({ type });
    },
  );

  it("a SOAP answer without elements of a list is read as an empty list, and an item that is not an exact whole number as a text", async () => {
    const valueIn = async (inside: string): Promise<unknown> => {
      const text = soapMessage(`<usagesResponse xmlns:t="u:types">${inside}</usagesResponse>`);
      return Object((await call("listUsages", {}, { text })).answer).value;
    };
    expect(await valueIn("")).toEqual({ usage: [] });
    expect(
      await valueIn(
        "<t:usage> +7 </t:usage><t:usage>-0</t:usage><t:usage>9007199254740993</t:usage><t:usage>1.0</t:usage>",
      ),
    ).toEqual({ usage: [7, 0, "9007199254740993", "1.0"] });
  });

  it("the answer to a SOAP search has the declared paging header, and is unreadable if the cursor in this header is an address", async () => {
    const search: Endpoint = {
      ...soapProvider.endpoints.listUsages,
      kind: "search",
      paging: {
        style: "cursor",
        position: "after",
        size: { usual: 2 },
        items: "/usage",
        next: { header: "x-next" },
      },
    };
    const text = soapMessage("<usagesResponse/>");
    const answerTo = async (next: string): Promise<AdapterAnswer> =>
      (await call(search, {}, { text, headers: { "x-next": next, "x-other": "1" } })).answer;
    expect(await answerTo("7")).toEqual({
      type: "value",
      status: 200,
      value: { usage: [] },
      headers: { "x-next": "7" },
    });
    expect(await answerTo("https://insurer.example/?after=7")).toEqual({
      type: "unreadable",
      status: 200,
      detail: "The insurer's next page cannot be requested.",
    });
  });

  it.each<[string, Answer, string]>([
    [
      "another element",
      { text: soapMessage('<otherResponse xmlns="u:types"/>') },
      "The insurer's answer is not the operation's SOAP message.",
    ],
    [
      "an element of another namespace",
      { text: soapMessage("<priceResponse/>") },
      "The insurer's answer is not the operation's SOAP message.",
    ],
    ["no element", {}, "The insurer's answer is not the operation's SOAP message."],
    [
      "a text that is not XML",
      { text: "{}" },
      "The insurer's answer is not the operation's SOAP message: it is not well-formed, or too deep.",
    ],
    [
      "the media type text/html",
      { ...priced("<a:premium>1</a:premium>"), mediaType: "text/html" },
      "The insurer's answer is not the operation's SOAP message.",
    ],
    [
      "a field in another namespace",
      priced("<premium>1</premium>"),
      "The insurer's answer has the element premium in another namespace than its schema says.",
    ],
  ])("a SOAP answer with %s is unreadable", async (_, answer, detail) => {
    expect((await call("priceCar", { body }, answer)).answer).toEqual({
      type: "unreadable",
      status: 200,
      detail,
    });
  });

  it.each([
    [199, true],
    [200, false],
    [299, false],
    [300, true],
  ])("a SOAP answer with the status %i is a refusal: %j", async (status, isRefusal) => {
    const { text = "" } = priced("<a:premium>1</a:premium>");
    const given = { status, text, mediaType: "application/xml" };
    expect((await call("priceCar", { body }, given)).answer).toEqual(
      isRefusal
        ? { type: "refusal", status, mediaType: "application/xml", content: null }
        : { type: "value", status: 200, value: { premium: "1" } },
    );
  });

  it("a SOAP fault becomes a refusal with the fault's code and detail, but without the fault's text", async () => {
    const faulted = async (inside: string): Promise<AdapterAnswer> => {
      const text = soapMessage(`<soap:Fault>${inside}</soap:Fault>`);
      return (await call("priceCar", { body }, { text })).answer;
    };
    const refusal = { type: "refusal", status: 200, mediaType: "text/xml" };
    expect(
      await faulted(
        "<faultcode> soap:Client </faultcode><faultstring>Άννα</faultstring><detail><e xmlns='u:other'>1</e><e>2</e><f><g/></f><x xmlns='u:foreign'/></detail>",
      ),
    ).toEqual({
      ...refusal,
      content: { fault: { code: "Client", detail: { e: ["1", "2"], f: { g: "" } } } },
    });
    expect(await faulted("<faultcode xmlns='u:types'>Client</faultcode>")).toEqual({
      ...refusal,
      content: { fault: { code: null, detail: null } },
    });
  });

  it("a SOAP answer without the dialect's success value is a refusal, unless the operation has `envelope: false`", async () => {
    const adapter = publishedSoap(soapProvider, {
      ...soap,
      envelope: { at: "/ok", success: ["yes"] },
    });
    const answerTo = async (name: "priceCar" | "priceAgain", inside: string): Promise<unknown> => {
      const element = name === "priceCar" ? "priceResponse" : "priceAgainResponse";
      const text = soapMessage(`<${element} xmlns="u:types">${inside}</${element}>`);
      return (await call(name, { body }, { text }, {}, adapter)).answer;
    };
    expect(await answerTo("priceCar", "<ok>yes</ok>")).toMatchObject({ type: "value" });
    expect(await answerTo("priceCar", "<ok>no</ok>")).toEqual({
      type: "refusal",
      status: 200,
      mediaType: "text/xml",
      content: { ok: "no" },
    });
    expect(await answerTo("priceAgain", "<ok>no</ok>")).toMatchObject({ type: "value" });
  });

  it("an adapter for SOAP 1.2 sends and reads only messages of SOAP 1.2", async () => {
    const version = "1.2";
    const adapter = publishedSoap(soapProvider, { ...soap, version });
    const newer = (payload: string): Answer => ({
      mediaType: "application/soap+xml",
      text: soapMessage(payload).replace(
        "http://schemas.xmlsoap.org/soap/envelope/",
        "http://www.w3.org/2003/05/soap-envelope",
      ),
    });
    const premium = '<priceResponse xmlns="u:types"><premium>1</premium></priceResponse>';
    const priced = await call("priceCar", { body }, newer(premium), {}, adapter);
    expect(priced.answer).toEqual({ type: "value", status: 200, value: { premium: "1" } });
    expect(priced.sent).toMatchObject([
      {
        headers: {
          accept: "application/soap+xml",
          "content-type": 'application/soap+xml; charset=utf-8; action="u:price"',
        },
        body: expect.stringContaining("http://www.w3.org/2003/05/soap-envelope"),
      },
    ]);
    const code = "<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>";
    const fault = newer(`<soap:Fault>${code}<soap:Detail><e>1</e></soap:Detail></soap:Fault>`);
    expect((await call("priceCar", { body }, fault, {}, adapter)).answer).toEqual({
      type: "refusal",
      status: 200,
      mediaType: "application/soap+xml",
      content: { fault: { code: "Sender", subcode: null, detail: { e: "1" } } },
    });
    // An adapter for SOAP 1.1 does not read an answer of SOAP 1.2.
    expect((await call("priceCar", { body }, newer(premium))).answer).toMatchObject({
      type: "unreadable",
    });
  });

  it("a document in a SOAP answer is accepted only if the base64 is complete and the document has the size that the answer names", async () => {
    const pdf = "%PDF-1.4\n%%EOF\n";
    const base64 = Buffer.from(pdf).toString("base64");
    const printed = async (inside: string): Promise<AdapterAnswer> => {
      const text = soapMessage(`<printResponse xmlns="u:types">${inside}</printResponse>`);
      return (await call("printPolicy", { query: { policyId: "P-1" } }, { text })).answer;
    };
    const answer = await printed(`<pdf>${base64}</pdf><size>15</size>`);
    expect(answer).toEqual({
      type: "document",
      mediaType: "application/pdf",
      content: expect.anything(),
      size: 15,
      headers: { etag: expect.stringMatching(/^"[\w-]{43}"$/) },
    });
    if (answer.type === "document") expect(await textOf(answer.content)).toBe(pdf);
    expect(await printed(`<pdf>${base64}</pdf><state>READY</state>`)).toMatchObject({ size: 15 });
    expect(await printed("<state>PENDING</state>")).toEqual({ type: "notReady" });
    const unreadable = (detail: string) => ({ type: "unreadable", status: 200, detail });
    expect(await printed(`<pdf>${base64}</pdf><size>16</size>`)).toEqual(
      unreadable("The insurer's document ends too early."),
    );
    expect(await printed(`<pdf>${base64.slice(0, 12)}</pdf>`)).toEqual(
      unreadable("The insurer's document ends too early."),
    );
    for (const inside of ["", "<pdf>%%%</pdf>", `<pdf>${base64.slice(1)}</pdf>`])
      expect(await printed(inside)).toEqual(
        unreadable("The insurer's document is not whole base64."),
      );
  });
});

it("the adapter of an imported WSDL has the failure rows and the credentials of its dialect", () => {
  const functions = { call: expect.any(Function), speaks: expect.any(Function) };
  const plain = publishedSoap(soapProvider, soap);
  expect(plain).toEqual({ name: "provider-x", failures: [], ...functions });
  const row = { status: 500, code: "CONFLICT", outcome: "rejected", why: "It says so." } as const;
  const credentials = [[{ type: "message" }]] as const;
  const more = publishedSoap(soapProvider, {
    ...soap,
    failures: [row],
    credentials,
  });
  expect(more).toEqual({ name: "provider-x", failures: [row], credentials, ...functions });
});
