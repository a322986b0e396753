import { callAdapter, type ScriptedAnswer } from "@insurance-gateway/testkit";
import { describe, expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import { downloadIpid, listVehicleUsages } from "../src/index.ts";

const ns = "http://ws.provider-c.example/quotation/v2";
const soap = "http://schemas.xmlsoap.org/soap/envelope/";

/** Returns a SOAP message with a body. */
function soapMessage(body: string, more: Partial<ScriptedAnswer> = {}): ScriptedAnswer {
  return {
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: `<S:Envelope xmlns:S="${soap}"><S:Body>${body}</S:Body></S:Envelope>`,
    ...more,
  };
}

const usage =
  "<usage><usageCode>00</usageCode><descriptionEn>Private car</descriptionEn>" +
  "<descriptionEl>Επιβατηγό</descriptionEl><group>EIX</group></usage>";

const usages = (inside: string, namespace = ns): string =>
  `<listVehicleUsagesResponse xmlns="${namespace}">${inside}</listVehicleUsagesResponse>`;

const list = (answer: ScriptedAnswer) => callAdapter(adapter, listVehicleUsages, {}, [answer]);

const privateCar = {
  code: "00",
  name: "Private car",
  nameEl: "Επιβατηγό",
  category: "PRIVATE",
};

describe("vehicle usages of provider C", () => {
  it("the adapter requests the vehicle usages with a SOAP message in the insurer's namespace", async () => {
    const { answer, sent } = await list(soapMessage(usages(usage)));
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/gbox-ws/soap/v2/quotation",
        headers: {
          accept: "text/xml",
          "content-type": "text/xml; charset=utf-8",
          soapaction: `"${ns}/listVehicleUsages"`,
        },
        body:
          `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="${soap}"><soap:Body>` +
          `<listVehicleUsages xmlns="${ns}"></listVehicleUsages></soap:Body></soap:Envelope>`,
        acts: false,
      },
    ]);
    expect(answer).toEqual({ type: "value", status: 200, value: { items: [privateCar] } });
  });

  it.each([
    ["no usage", "", 0],
    ["one usage", usage, 1],
    ["two usages", usage + usage, 2],
    ["one usage of the insurer and one of a foreign namespace", `${usage}<usage xmlns="u:x"/>`, 1],
  ])("the adapter reads the insurer's vehicle usages as a list: %s", async (_, inside, count) => {
    const { answer } = await list(soapMessage(usages(inside)));
    expect(answer.type === "value" && Object(answer.value).items).toHaveLength(count);
  });

  it.each([
    ["the header", 'text/xml; charset="ISO-8859-7"', ""],
    ["the XML declaration", "text/xml", '<?xml version="1.0" encoding="ISO-8859-7"?>'],
    [
      "the header, although the XML declaration differs",
      "text/xml; charset=windows-1253",
      '<?xml version="1.0" encoding="UTF-8"?>',
    ],
  ])(
    "the adapter decodes the insurer's answer with the charset of %s",
    async (_, contentType, declaration) => {
      const { body } = soapMessage(usages(usage));
      const greek = Buffer.from(
        Array.from(`${declaration}${String(body)}`, (letter) => {
          const code = letter.codePointAt(0) ?? 0;
          // In both charsets, the code of each Greek letter of this text is 720 less than in Unicode.
          return code > 127 ? code - 720 : code;
        }),
      );
      const { answer } = await list({ headers: { "content-type": contentType }, body: greek });
      expect(answer).toMatchObject({ type: "value", value: { items: [privateCar] } });
    },
  );

  it.each([
    ["another namespace", soapMessage(usages(usage, "u:other"))],
    ["another operation", soapMessage(`<otherResponse xmlns="${ns}"/>`)],
    ["no SOAP envelope", { ...soapMessage(""), body: usages(usage) }],
    [
      "SOAP 1.2",
      {
        ...soapMessage(""),
        body: `<S:Envelope xmlns:S="http://www.w3.org/2003/05/soap-envelope"><S:Body>${usages(usage)}</S:Body></S:Envelope>`,
      },
    ],
    [
      "two SOAP bodies",
      {
        ...soapMessage(""),
        body: `<S:Envelope xmlns:S="${soap}"><S:Body>${usages(usage)}</S:Body><S:Body/></S:Envelope>`,
      },
    ],
    ["an HTML page", { headers: { "content-type": "text/html" }, body: "<h1>OK</h1>" }],
    ["a truncated message", { ...soapMessage(""), body: "<S:Envelope" }],
    ["a usage without a code", soapMessage(usages("<usage><group>EIX</group></usage>"))],
    [
      "a document type declaration",
      {
        ...soapMessage(""),
        body: `<!DOCTYPE a [<!ENTITY x "00">]>${String(soapMessage(usages(usage)).body)}`,
      },
    ],
  ])("the adapter reports the insurer's answer as unreadable: %s", async (_, answer) => {
    expect((await list(answer)).answer).toMatchObject({ type: "unreadable", status: 200 });
  });
});

const download = (answer: ScriptedAnswer) =>
  callAdapter(adapter, downloadIpid, { query: { applicationId: "<Γ&001>" } }, [answer]);

function documentMessage(inside: string): ScriptedAnswer {
  return soapMessage(
    `<q:getApplicationDocumentResponse xmlns:q="${ns}">${inside}</q:getApplicationDocumentResponse>`,
  );
}

function printed(file: string, size = Buffer.from(file).byteLength): ScriptedAnswer {
  const lines = Buffer.from(file)
    .toString("base64")
    .replaceAll(/(.{76})/g, "$1\r\n");
  return documentMessage(
    `<q:status>PRINTED</q:status><q:pdfSize>${size}</q:pdfSize><q:pdfContent>${lines}</q:pdfContent>`,
  );
}

const pdf = `%PDF-1.7\n${"The insurer's document. ".repeat(20)}\n%%EOF\n`;

describe("IPID documents of provider C", () => {
  it("the adapter requests an IPID document by its XML-escaped identifier, and decodes the file from lines of base64", async () => {
    const { answer, sent } = await download(printed(pdf));
    expect(sent[0]?.body).toContain("<applicationId>&lt;Γ&amp;001&gt;</applicationId>");
    if (answer.type !== "document") throw new TypeError(answer.type);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.content) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(pdf);
    expect(answer).toMatchObject({ mediaType: "application/pdf", size: pdf.length });
    expect(answer.headers?.etag).toMatch(/^"[\w-]{43}"$/);
  });

  it.each([
    ["comments between the parts", (parts: readonly string[]) => parts.join("<!-- a page -->")],
    [
      "CDATA sections",
      (parts: readonly string[]) => parts.map((part) => `<![CDATA[${part}]]>`).join("\n  "),
    ],
  ])(
    "the adapter decodes an IPID document from base64 in several XML parts: %s",
    async (_, written) => {
      const file = `%PDF-1.7\n${"The insurer's document. ".repeat(8_000)}\n%%EOF\n`;
      const base64 = Buffer.from(file).toString("base64");
      // The places where the base64 text is split: between and within groups of four characters, into short and long
      // parts.
      for (const ends of [
        [160_000],
        [100_000, 170_000],
        [99_999],
        [10, 80_001],
        [70_001, 140_002],
      ]) {
        const parts = [0, ...ends].map((start, index) => base64.slice(start, ends[index]));
        const { answer } = await download(
          documentMessage(
            `<q:status>PRINTED</q:status><q:pdfContent>${written(parts)}</q:pdfContent>`,
          ),
        );
        if (answer.type !== "document") throw new TypeError(answer.type);
        const chunks: Uint8Array[] = [];
        for await (const chunk of answer.content) chunks.push(chunk);
        expect(Buffer.concat(chunks).equals(Buffer.from(file))).toBe(true);
      }
    },
  );

  it("the adapter reports that an IPID document is not ready if the insurer answers with the status PENDING", async () => {
    const { answer } = await download(documentMessage("<q:status>PENDING</q:status>"));
    expect(answer).toEqual({ type: "notReady" });
  });

  it("the adapter reports a SOAP fault about an unknown application as a refusal, without the insurer's text", async () => {
    const detail = `<detail><serviceFault xmlns="${ns}"><errorCode>E101</errorCode></serviceFault></detail>`;
    const fault = `<S:Fault><faultcode>S:Client</faultcode><faultstring>123456789</faultstring>${detail}</S:Fault>`;
    const { answer } = await download(soapMessage(fault, { status: 500 }));
    expect(answer).toMatchObject({
      type: "refusal",
      status: 500,
      mediaType: "text/xml",
      content: { fault: { code: "Client", detail: { serviceFault: { errorCode: "E101" } } } },
    });
    expect(JSON.stringify(answer)).not.toContain("123456789");
  });

  it.each([
    [
      "base64 that ends within a group of four characters",
      documentMessage("<q:pdfContent>JVBERi0</q:pdfContent>"),
    ],
    ["a truncated PDF in complete base64", printed(pdf.slice(0, 99))],
    ["another size than stated", printed(pdf, 7)],
    ["characters outside base64", documentMessage("<q:pdfContent>JVBE*i0x</q:pdfContent>")],
    [
      "padding between two parts",
      documentMessage("<q:pdfContent>JVBERi0xLg==<!-- a page -->JSVFT0Y=</q:pdfContent>"),
    ],
    ["an empty document", documentMessage("<q:pdfContent/>")],
    ["no document", documentMessage("<q:status>PRINTED</q:status>")],
  ])("the adapter reports an IPID document as unreadable: %s", async (_, answer) => {
    expect((await download(answer)).answer).toMatchObject({ type: "unreadable" });
  });
});
