import { fileURLToPath } from "node:url";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { adapterOf, type SpeakingInsurer, speakTo } from "./speaking.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const ns = "http://ws.provider-c.example/quotation/v2";
const soap = "http://schemas.xmlsoap.org/soap/envelope/";

let insurer: Insurer;
let speaking: SpeakingInsurer;
let endpoints: Readonly<Record<string, Endpoint>>;
let answer: { readonly type: string; readonly body: string | Uint8Array };
beforeAll(async () => {
  insurer = await startInsurer((response) => {
    response.writeHead(200, { "content-type": answer.type }).end(answer.body);
  });
  speaking = speakTo(insurer.baseUrl, await adapterOf("c"));
  const loaded = await loadProviderPackage(repository, "@insurance-gateway/provider-c");
  if ("fault" in loaded) throw new TypeError(loaded.fault);
  endpoints = loaded.provider.endpoints;
});
afterAll(async () => {
  await speaking.close();
  await insurer.close();
});

/** Calls provider C's insurer, which answers with the given message. */
async function ask(name: string, type: string, body: string | Uint8Array) {
  answer = { type, body };
  const endpoint = endpoints[name];
  if (endpoint === undefined) throw new TypeError(name);
  return speaking.call(endpoint, { query: { applicationId: "C-0001" } });
}

function message(inside: string): string {
  return `<S:Envelope xmlns:S="${soap}"><S:Body>${inside}</S:Body></S:Envelope>`;
}

const usages = (inside: string): string =>
  message(`<listVehicleUsagesResponse xmlns="${ns}">${inside}</listVehicleUsagesResponse>`);
const usage =
  "<usage><usageCode>007</usageCode><descriptionEn>Car</descriptionEn>" +
  "<descriptionEl>ΕΙΧ Ωμέγα</descriptionEl><group>EIX</group></usage>";
const document = (content: string): string =>
  message(
    `<getApplicationDocumentResponse xmlns="${ns}"><status>PRINTED</status><pdfContent>${content}</pdfContent></getApplicationDocumentResponse>`,
  );

/**
 * Encodes a text in ISO-8859-7 or Windows-1253. In both, the code of a Greek letter is the letter's Unicode code point
 * minus 720.
 */
function greek(text: string): Uint8Array {
  return Uint8Array.from(Array.from(text), (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code > 127 ? code - 720 : code;
  });
}

const xml = "text/xml";
const entities = Array.from(
  { length: 12 },
  (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(12)}">`,
);

/** Invalid answers: the endpoint, the media type and the body, by the name of the fault. */
const hostile: Readonly<Record<string, readonly [string, string, string | Uint8Array]>> = {
  "a billion laughs": [
    "listVehicleUsages",
    xml,
    `<!DOCTYPE a [<!ENTITY l0 "ha">${entities.join("")}]>${usages("&l12;")}`,
  ],
  "an external entity": [
    "listVehicleUsages",
    xml,
    `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${usages("&x;")}`,
  ],
  "a quadratic blow-up": [
    "listVehicleUsages",
    xml,
    `<!DOCTYPE a [<!ENTITY x "${"x".repeat(90_000)}">]>${usages("&x;".repeat(90_000))}`,
  ],
  "a character reference to zero": [
    "listVehicleUsages",
    xml,
    usages(usage.replace("Car", "C&#0;r")),
  ],
  "half of a character": ["listVehicleUsages", xml, usages(usage.replace("Car", "C&#xD83D;r"))],
  "100,000 nested elements": [
    "listVehicleUsages",
    xml,
    usages("<a>".repeat(100_000) + "</a>".repeat(100_000)),
  ],
  "300,000 elements": ["listVehicleUsages", xml, usages("<a/>".repeat(300_000))],
  "100,000 attributes": [
    "listVehicleUsages",
    xml,
    usages(`<usage ${Array.from({ length: 100_000 }, (_, n) => `a${n}=""`).join(" ")}/>`),
  ],
  "more bytes than the maximum": ["listVehicleUsages", xml, usages(" ".repeat(2_000_001))],
  "another namespace": ["listVehicleUsages", xml, usages(usage).replace(ns, "u:other")],
  "bytes outside its charset": ["listVehicleUsages", `${xml}; charset=utf-8`, greek(usages(usage))],
  "an unknown charset in its header": [
    "listVehicleUsages",
    `${xml}; charset=ebcdic-el`,
    usages(usage),
  ],
  "an unknown charset in its declaration": [
    "listVehicleUsages",
    xml,
    `<?xml version="1.0" encoding="x-unknown"?>${usages(usage)}`,
  ],
  "truncated base64": ["downloadIpid", xml, document("JVBERi0xLjcKJ")],
  "a truncated document": [
    "downloadIpid",
    xml,
    document(Buffer.from("%PDF-1.7\nbegin").toString("base64")),
  ],
  "a document of another type": [
    "downloadIpid",
    xml,
    document(Buffer.from("<h1>%%EOF").toString("base64")),
  ],
};

describe("answers of a SOAP insurer", () => {
  it.each(Object.entries(hostile))(
    "the gateway refuses an answer of a SOAP insurer with %s, and uses limited memory",
    async (_, given) => {
      const before = process.memoryUsage().rss;
      const refusal = await ask(...given);
      if (!(refusal instanceof Refusal))
        throw new TypeError(`It was answered with ${refusal.status}`);
      expect(refusal.code).toBe("PROVIDER_BAD_RESPONSE");
      expect(refusal.details.detail).not.toMatch(/passwd|haha/);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    },
  );

  it.each([
    ["UTF-8", xml, usages(usage)],
    ["ISO-8859-7, by its header", `${xml}; charset=ISO-8859-7`, greek(usages(usage))],
    ["Windows-1253, by its header", `${xml}; charset="windows-1253"`, greek(usages(usage))],
    [
      "Windows-1253, by its declaration",
      xml,
      greek(`<?xml version="1.0" encoding="windows-1253"?>${usages(usage)}`),
    ],
  ])("the gateway reads an answer of a SOAP insurer in the encoding %s", async (_, type, body) => {
    const found = await ask("listVehicleUsages", type, body);
    expect(found instanceof Refusal ? found : found.content).toBe(
      '{"items":[{"code":"007","name":"Car","nameEl":"ΕΙΧ Ωμέγα","category":"PRIVATE"}]}',
    );
  });

  it("the JSON that the gateway makes from an answer with many character references is shorter than the answer", async () => {
    const filler = `<!-- ${"x".repeat(66_000)} --><x>${"A".repeat(66_000)}</x>`;
    const name = "&#xF0000;0&#xF0000;".repeat(10_000);
    const body = usages(`${usage.replace("Car", name)}${filler}`);
    const found = await ask("listVehicleUsages", xml, body);
    if (found instanceof Refusal) throw found;
    expect(String(found.content).length).toBeLessThan(body.length);
  });

  it("the gateway returns a SOAP insurer's document of a million bytes completely", async () => {
    const pdf = `%PDF-1.7\n${"x".repeat(999_900)}\n%%EOF\n`;
    const found = await ask("downloadIpid", xml, document(Buffer.from(pdf).toString("base64")));
    if (found instanceof Refusal) throw found;
    if (typeof found.content === "string") throw new TypeError("It is no document");
    const chunks: Uint8Array[] = [];
    for await (const chunk of found.content) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(pdf);
    expect(found.headers).toMatchObject({ "content-length": String(pdf.length) });
  });
});
