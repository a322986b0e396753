import type { Endpoint } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import type { AdapterAnswer } from "../src/index.ts";
import { publishedSoap } from "../src/soap/index.ts";
import { callOffline, type InsurerAnswer } from "./harness/call-offline.ts";
import { callSoap, soap, soapMessage, soapProvider } from "./harness/soap.ts";

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const priced = (inside: string): InsurerAnswer => ({
  text: soapMessage(`<a:priceResponse xmlns:a="u:types">${inside}</a:priceResponse>`),
});

describe("an answer of an insurer with an imported WSDL", () => {
  const body = { plate: "1" };

  it("a SOAP answer becomes the value of the operation's answer element, with the declared success status", async () => {
    const inside = "<a:premium>+012.50</a:premium><a:more>1</a:more><b xmlns='u:foreign'/>";
    const { answer, decoded } = await callSoap("priceCar", { body }, { insurer: priced(inside) });
    const value = { premium: "12.50", more: "1" };
    expect(answer).toEqual({ type: "value", status: 200, value });
    expect(decoded).toEqual([
      { content: value, form: { type: "declared", status: 200, mediaType: "application/json" } },
    ]);
    const again = priced("<a:premium>1</a:premium>").text?.replaceAll("priceR", "priceAgainR");
    expect(
      (await callSoap("priceAgain", { body }, { insurer: { text: again ?? "" } })).answer,
    ).toEqual({
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
      const { answer } = await callSoap(
        "priceCar",
        { body },
        { insurer: priced(`<a:premium>${written}</a:premium>`) },
      );
      expect(answer).toEqual({ type: "value", status: 200, value: { premium: expected } });
    },
  );

  it("the answer of an operation without an answer element has the declared status and no value", async () => {
    const { answer, decoded } = await callSoap(
      "changePolicy",
      { body },
      { insurer: { status: 202, text: "" } },
    );
    expect([answer, decoded]).toEqual([{ type: "value", status: 204, value: undefined }, []]);
  });

  it.each<[string, InsurerAnswer, string]>([
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
      expect((await callSoap("changePolicy", { body }, { insurer: sent })).answer).toMatchObject({
        type,
      });
    },
  );

  it("the adapter reads a SOAP list without elements as an empty list, and a list item that is not an exact whole number as a text", async () => {
    const valueIn = async (inside: string): Promise<unknown> => {
      const text = soapMessage(`<usagesResponse xmlns:t="u:types">${inside}</usagesResponse>`);
      return Object((await callSoap("listUsages", {}, { insurer: { text } })).answer).value;
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
      (
        await callOffline(
          publishedSoap(soapProvider, soap),
          search,
          {},
          { mediaType: "text/xml", text, headers: { "x-next": next, "x-other": "1" } },
        )
      ).answer;
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

  it.each<[string, InsurerAnswer, string]>([
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
    expect((await callSoap("priceCar", { body }, { insurer: answer })).answer).toEqual({
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
    expect((await callSoap("priceCar", { body }, { insurer: given })).answer).toEqual(
      isRefusal
        ? { type: "refusal", status, mediaType: "application/xml", content: null }
        : { type: "value", status: 200, value: { premium: "1" } },
    );
  });

  it("a SOAP fault becomes a refusal with the fault's code and detail, but without the fault's text", async () => {
    const faulted = async (inside: string): Promise<AdapterAnswer> => {
      const text = soapMessage(`<soap:Fault>${inside}</soap:Fault>`);
      return (await callSoap("priceCar", { body }, { insurer: { text } })).answer;
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
    const envelope = { at: "/ok", success: ["yes"] };
    const answerTo = async (name: "priceCar" | "priceAgain", inside: string): Promise<unknown> => {
      const element = name === "priceCar" ? "priceResponse" : "priceAgainResponse";
      const text = soapMessage(`<${element} xmlns="u:types">${inside}</${element}>`);
      return (await callSoap(name, { body }, { insurer: { text }, dialect: { envelope } })).answer;
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
    const dialect = { version: "1.2" } as const;
    const newer = (payload: string): InsurerAnswer => ({
      mediaType: "application/soap+xml",
      text: soapMessage(payload).replace(
        "http://schemas.xmlsoap.org/soap/envelope/",
        "http://www.w3.org/2003/05/soap-envelope",
      ),
    });
    const premium = '<priceResponse xmlns="u:types"><premium>1</premium></priceResponse>';
    const priced = await callSoap("priceCar", { body }, { insurer: newer(premium), dialect });
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
    expect((await callSoap("priceCar", { body }, { insurer: fault, dialect })).answer).toEqual({
      type: "refusal",
      status: 200,
      mediaType: "application/soap+xml",
      content: { fault: { code: "Sender", subcode: null, detail: { e: "1" } } },
    });
    // An adapter for SOAP 1.1 does not read an answer of SOAP 1.2.
    expect(
      (await callSoap("priceCar", { body }, { insurer: newer(premium) })).answer,
    ).toMatchObject({
      type: "unreadable",
    });
  });

  it("a document in a SOAP answer is accepted only if the base64 is complete and the document has the size that the answer names", async () => {
    const pdf = "%PDF-1.4\n%%EOF\n";
    const base64 = Buffer.from(pdf).toString("base64");
    const printed = async (inside: string): Promise<AdapterAnswer> => {
      const text = soapMessage(`<printResponse xmlns="u:types">${inside}</printResponse>`);
      return (await callSoap("printPolicy", { query: { policyId: "P-1" } }, { insurer: { text } }))
        .answer;
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

it("the adapter of an imported WSDL has the `failures` table and the credentials of its dialect", () => {
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
