import { callAdapter, type ScriptedAnswer } from "@insurance-gateway/testkit";
import { describe, expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import { downloadIpid, listVehicleUsages } from "../src/index.ts";

const ns = "http://ws.provider-c.example/quotation/v2";
const soap = "http://schemas.xmlsoap.org/soap/envelope/";

/** A SOAP message with a body. */
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

describe("the vehicle usages of provider C", () => {
  it("are asked for by a SOAP message of the insurer's namespace", async () => {
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
    ["none", "", 0],
    ["one", usage, 1],
    ["two", usage + usage, 2],
    ["one of the insurer's and one of somebody else's", `${usage}<usage xmlns="u:x"/>`, 1],
  ])("are a list: %s", async (_, inside, count) => {
    const { answer } = await list(soapMessage(usages(inside)));
    expect(answer.type === "value" && Object(answer.value).items).toHaveLength(count);
  });

  it.each([
    ["its header", 'text/xml; charset="ISO-8859-7"', ""],
    ["its declaration", "text/xml", '<?xml version="1.0" encoding="ISO-8859-7"?>'],
    [
      "its header, whatever its declaration",
      "text/xml; charset=windows-1253",
      '<?xml version="1.0" encoding="UTF-8"?>',
    ],
  ])("are read in the charset that the answer names in %s", async (_, contentType, declaration) => {
    const { body } = soapMessage(usages(usage));
    const greek = Buffer.from(
      Array.from(`${declaration}${String(body)}`, (letter) => {
        const code = letter.codePointAt(0) ?? 0;
        // In both charsets, these letters are 720 after their place in Unicode.
        return code > 127 ? code - 720 : code;
      }),
    );
    const { answer } = await list({ headers: { "content-type": contentType }, body: greek });
    expect(answer).toMatchObject({ type: "value", value: { items: [privateCar] } });
  });

  it.each([
    ["of another namespace", soapMessage(usages(usage, "u:other"))],
    ["of another operation", soapMessage(`<otherResponse xmlns="${ns}"/>`)],
    ["without an envelope", { ...soapMessage(""), body: usages(usage) }],
    [
      "of SOAP 1.2",
      {
        ...soapMessage(""),
        body: `<S:Envelope xmlns:S="http://www.w3.org/2003/05/soap-envelope"><S:Body>${usages(usage)}</S:Body></S:Envelope>`,
      },
    ],
    [
      "with two bodies",
      {
        ...soapMessage(""),
        body: `<S:Envelope xmlns:S="${soap}"><S:Body>${usages(usage)}</S:Body><S:Body/></S:Envelope>`,
      },
    ],
    ["that is an HTML page", { headers: { "content-type": "text/html" }, body: "<h1>OK</h1>" }],
    ["that is cut off", { ...soapMessage(""), body: "<S:Envelope" }],
    ["with a usage without a code", soapMessage(usages("<usage><group>EIX</group></usage>"))],
    [
      "with a document type",
      {
        ...soapMessage(""),
        body: `<!DOCTYPE a [<!ENTITY x "00">]>${String(soapMessage(usages(usage)).body)}`,
      },
    ],
  ])("cannot be read in a message %s", async (_, answer) => {
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

describe("the IPID of provider C", () => {
  it("is asked for with its identifier as a text, and comes out of base64 in lines", async () => {
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
    ["a comment between them", (parts: readonly string[]) => parts.join("<!-- a page -->")],
    [
      "CDATA sections",
      (parts: readonly string[]) => parts.map((part) => `<![CDATA[${part}]]>`).join("\n  "),
    ],
  ])("comes out of base64 in several parts: %s", async (_, written) => {
    const file = `%PDF-1.7\n${"The insurer's document. ".repeat(8_000)}\n%%EOF\n`;
    const base64 = Buffer.from(file).toString("base64");
    // Ends of parts: between two groups of four characters, within one, and of parts that are short or long.
    for (const ends of [[160_000], [100_000, 170_000], [99_999], [10, 80_001], [70_001, 140_002]]) {
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
  });

  it("may be not made yet", async () => {
    const { answer } = await download(documentMessage("<q:status>PENDING</q:status>"));
    expect(answer).toEqual({ type: "notReady" });
  });

  it("may be of an application that the insurer does not know", async () => {
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
    ["cut off within four characters", documentMessage("<q:pdfContent>JVBERi0</q:pdfContent>")],
    ["cut off between four characters", printed(pdf.slice(0, 99))],
    ["of another size than it says", printed(pdf, 7)],
    [
      "with characters that are none of base64",
      documentMessage("<q:pdfContent>JVBE*i0x</q:pdfContent>"),
    ],
    [
      "with padding between two parts",
      documentMessage("<q:pdfContent>JVBERi0xLg==<!-- a page -->JSVFT0Y=</q:pdfContent>"),
    ],
    ["that is empty", documentMessage("<q:pdfContent/>")],
    ["that is missing", documentMessage("<q:status>PRINTED</q:status>")],
  ])("cannot be read when it is %s", async (_, answer) => {
    expect((await download(answer)).answer).toMatchObject({ type: "unreadable" });
  });
});
