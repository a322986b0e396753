import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rawRequestOf } from "@insurance-gateway/adapter/sandbox";
import { callAdapter, type ScriptedAnswer } from "@insurance-gateway/testkit";
import { XmlDocument, XsdValidator } from "libxml2-wasm";
import { xmlRegisterFsInputProviders } from "libxml2-wasm/lib/nodejs.mjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type WrittenPackage, writtenPackage } from "../written-package.ts";

const documents = fileURLToPath(new URL("../documents/", import.meta.url));
const motorTypes = "http://ws.insurer.example/motor/types";
const soap = "http://schemas.xmlsoap.org/soap/envelope/";

let motor: WrittenPackage;
let claims: WrittenPackage;

beforeAll(async () => {
  motor = await writtenPackage({
    from: `${documents}motor/motor.wsdl`,
    overlay: `${documents}motor/motor.overlay.yaml`,
  });
  claims = await writtenPackage({
    from: `${documents}claims.wsdl`,
    overlay: `${documents}claims.overlay.yaml`,
  });
});

afterAll(() => {
  for (const one of [motor, claims]) one?.remove();
});

/** Returns an insurer's answer with a SOAP message. */
function soapMessage(body: string, status = 200): ScriptedAnswer {
  return {
    status,
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: `<S:Envelope xmlns:S="${soap}"><S:Body>${body}</S:Body></S:Envelope>`,
  };
}

async function call(
  { adapter, provider }: WrittenPackage,
  name: string,
  input: object,
  answer: ScriptedAnswer,
  context: object = {},
): Promise<{ readonly body: string; readonly headers: object; readonly answer: unknown }> {
  const endpoint = provider.endpoints[name];
  if (endpoint === undefined) throw new TypeError(`There is no ${name}`);
  const { answer: made, sent } = await callAdapter(adapter, endpoint, input, [answer], context);
  const [request] = sent;
  return { body: String(request?.body), headers: request?.headers ?? {}, answer: made };
}

/** Returns the body of a message without its envelope. */
function payloadOf(message: string): string {
  return /<soap:Body>(.*)<\/soap:Body>/s.exec(message)?.[1] ?? "";
}

const tariffy = {
  inception: "2026-12-01",
  duration: 12,
  vehicle: { id: "v1", plate: "ΙΚΥ1234", usage: "ΕΙΧ", marketValue: "7300.50", engineCc: 1398 },
  drivers: [
    { afm: "012345678", name: "Άννα & Υιοί <ΑΕ>", birthDate: "1980-02-29", licenceYear: null },
    { afm: "123456789", name: "Νίκος", birthDate: "1999-01-01", licenceYear: "2018" },
  ],
  coverCodes: ["MTPL", "GLASS"],
};

const tariffyAnswer = `<m:tariffyResponse xmlns:m="${motorTypes}"><m:quotation>
  <m:number> 9007199254740993 </m:number><m:premium>+312.40</m:premium><m:isReferred>0</m:isReferred>
  <m:covers code="MTPL">290.00</m:covers>
  <m:replaces><m:number>1</m:number><m:premium>.5</m:premium><m:isReferred>true</m:isReferred></m:replaces>
</m:quotation></m:tariffyResponse>`;

/** Validates elements against the motor insurer's schema with libxml2; throws if an element is not valid. */
function judged(...payloads: readonly string[]): void {
  xmlRegisterFsInputProviders();
  const file = `${documents}motor/types/motor.xsd`;
  using schema = XmlDocument.fromString(readFileSync(file, "utf8"), { url: file });
  using validator = XsdValidator.fromDoc(schema);
  for (const payload of payloads) {
    using document = XmlDocument.fromString(payload);
    validator.validate(document);
  }
}

describe("SOAP requests", () => {
  it("a SOAP request is valid against the insurer's schema, and the request's fields have the schema's order", async () => {
    const { body } = await call(motor, "tariffy", { body: tariffy }, soapMessage(tariffyAnswer));
    const payload = payloadOf(body);
    expect(() => judged(payload)).not.toThrow();
    // The validation works, because libxml2 refuses the same message without the required plate.
    expect(() => judged(payload.replace(/<n\d:plate>.*?<\/n\d:plate>/, ""))).toThrow();
    // The caller's field order does not matter.
    const reversed = Object.fromEntries(Object.entries(tariffy).toReversed());
    const other = await call(motor, "tariffy", { body: reversed }, soapMessage(tariffyAnswer));
    expect(other.body).toBe(body);
  });

  it("a SOAP request contains the SOAPAction, the user name token and the operator's settings", async () => {
    const { body, headers } = await call(
      motor,
      "issuePolicy",
      { body: { quotationNumber: "9007199254740993", iban: "GR1601101250000000012300695" } },
      soapMessage(`<issuePolicyResponse xmlns="${motorTypes}"/>`),
      { settings: { brokerCode: "B-17" }, login: { username: "broker", password: "secret" } },
    );
    expect(headers).toMatchObject({ soapaction: '"urn:motor:issuePolicy"' });
    expect(body).toContain("<wsse:Username>broker</wsse:Username>");
    expect(payloadOf(body)).toMatch(
      /<n0:brokerCode>B-17<\/n0:brokerCode><n0:quotationNumber>9007199254740993<\/n0:quotationNumber><n0:iban>/,
    );
  });

  it("an rpc/literal request wraps its parts in an element named after the operation, and the parts have no namespace", async () => {
    const claim = { policyNumber: "P1", occurredAt: "2026-11-01T10:00:00Z", isInjury: false };
    const { answer, body } = await call(
      claims,
      "reportClaim",
      { body: { claim, channel: "WEB" } },
      soapMessage(
        '<c:reportClaimResponse xmlns:c="urn:insurer:claims"><claimNumber>7</claimNumber></c:reportClaimResponse>',
      ),
    );
    expect(payloadOf(body)).toBe(
      '<n0:reportClaim xmlns:n0="urn:insurer:claims" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
        "<claim><policyNumber>P1</policyNumber><occurredAt>2026-11-01T10:00:00Z</occurredAt>" +
        "<isInjury>false</isInjury></claim><channel>WEB</channel></n0:reportClaim>",
    );
    expect(answer).toEqual({ type: "value", status: 200, value: { claimNumber: "7" } });
  });

  it("the SOAP adapter refuses a character that XML forbids and names the field that contains the character", async () => {
    const [driver] = tariffy.drivers;
    const drivers = [{ ...driver, name: "a\u0000b" }];
    const { answer } = await call(
      motor,
      "tariffy",
      { body: { ...tariffy, drivers } },
      soapMessage(tariffyAnswer),
    );
    expect(answer).toMatchObject({
      type: "unsendable",
      faults: [{ pointer: "/drivers/0/name" }],
    });
  });

  it("the SOAP adapter names the setting, not a caller's field, if a setting contains a character that XML forbids", async () => {
    const made = call(
      motor,
      "issuePolicy",
      { body: { quotationNumber: "1", iban: "GR1601101250000000012300695" } },
      soapMessage(`<issuePolicyResponse xmlns="${motorTypes}"/>`),
      { settings: { brokerCode: "B\u0000" } },
    );
    await expect(made).rejects.toMatchObject({ place: "/settings/brokerCode" });
  });
});

describe("the simulated insurer of a WSDL", () => {
  it("the simulated insurer's answers are valid against the insurer's schema", async () => {
    const { body } = await call(motor, "tariffy", { body: tariffy }, soapMessage(tariffyAnswer));
    const [route] = motor.sandbox.dialect?.routes ?? [];
    const request = rawRequestOf({
      method: "POST",
      path: "/gbox-ws/soap/motor",
      params: {},
      search: "",
      headers: { "content-type": "text/xml; charset=utf-8" },
      bytes: Buffer.from(body),
    });
    const read = route?.read(request, () => new Date(0), []);
    expect(read).toMatchObject({ call: { endpoint: "tariffy", input: { body: tariffy } } });
    const example = motor.imported.examples.get("tariffy")?.response;
    const answer = route?.write({ status: 200, body: example }, request);
    expect(() => judged(payloadOf(String(answer?.body)))).not.toThrow();
  });
});

describe("SOAP answers", () => {
  it("the SOAP adapter reads digits, decimals, flags, attributes and lists of an answer by the types of the schema", async () => {
    const { answer } = await call(motor, "tariffy", { body: tariffy }, soapMessage(tariffyAnswer));
    expect(answer).toEqual({
      type: "value",
      status: 200,
      value: {
        quotation: {
          number: "9007199254740993",
          premium: "312.40",
          isReferred: false,
          covers: [{ code: "MTPL", value: "290.00" }],
          replaces: { number: "1", premium: "0.5", isReferred: true, covers: [] },
        },
      },
    });
  });

  it("the SOAP adapter passes on an undeclared field of an answer only if the field is in one of the insurer's namespaces", async () => {
    const usages = `<listUsagesResponse xmlns="${motorTypes}"><usage code="00" isActive="true">ΕΙΧ</usage>
      <newField>1</newField><x:foreign xmlns:x="u:other"/></listUsagesResponse>`;
    const { answer } = await call(motor, "listUsages", {}, soapMessage(usages));
    expect(answer).toMatchObject({
      value: { usage: [{ code: "00", isActive: true, value: "ΕΙΧ" }], newField: "1" },
    });
    expect(JSON.stringify(answer)).not.toContain("foreign");
  });

  it("the SOAP adapter refuses an answer if an element that the schema declares is in another namespace", async () => {
    const usage = '<usage code="00" isActive="true">ΕΙΧ</usage>';
    const answers = ["", "u:other"].map((namespace) =>
      usage.replace("<usage", `<usage xmlns="${namespace}"`),
    );
    const list = async (inside: string): Promise<unknown> => {
      const body = `<listUsagesResponse xmlns="${motorTypes}">${inside}</listUsagesResponse>`;
      return (await call(motor, "listUsages", {}, soapMessage(body))).answer;
    };
    for (const inside of answers)
      expect(await list(inside)).toEqual({
        type: "unreadable",
        status: 200,
        detail:
          "The insurer's answer has the element usage in another namespace than its schema says.",
      });
    // A foreign element is ignored beside the insurer's own element.
    expect(await list(usage + answers[1])).toMatchObject({ value: { usage: [{ code: "00" }] } });
    expect(await list("")).toMatchObject({ value: { usage: [] } });
  });

  it('the SOAP adapter returns the bytes of a document, or "not ready" if the insurer is still preparing the document', async () => {
    const pdf = Buffer.from("%PDF-1.4\n%%EOF\n");
    const print = (inside: string): ReturnType<typeof call> =>
      call(
        motor,
        "printPolicy",
        { body: { policyNumber: "P1" } },
        soapMessage(`<printPolicyResponse xmlns="${motorTypes}">${inside}</printPolicyResponse>`),
      );
    const whole = `<pdfSize>${pdf.byteLength}</pdfSize><pdfContent>${pdf.toString("base64")}</pdfContent>`;
    expect((await print(whole)).answer).toMatchObject({
      type: "document",
      mediaType: "application/pdf",
      size: pdf.byteLength,
    });
    expect((await print("<status>PENDING</status>")).answer).toEqual({ type: "notReady" });
    expect((await print("<pdfContent>%%%</pdfContent>")).answer).toMatchObject({
      type: "unreadable",
    });
  });

  it("the SOAP adapter refuses an answer that belongs to another operation or to no operation", async () => {
    const other = soapMessage(`<printPolicyResponse xmlns="${motorTypes}"/>`);
    for (const answer of [other, { ...other, body: "<a/>" }, { status: 200, body: "{}" }])
      expect((await call(motor, "tariffy", { body: tariffy }, answer)).answer).toMatchObject({
        type: "unreadable",
      });
  });

  it("the SOAP adapter reads a SOAP fault as a refusal with the fault's code and detail, but without the fault's text", async () => {
    const fault = `<S:Fault><faultcode>S:Server</faultcode><faultstring>ΑΦΜ 012345678</faultstring><detail>
      <serviceFault xmlns="${motorTypes}"><errorCode>E102</errorCode></serviceFault></detail></S:Fault>`;
    for (const status of [200, 500]) {
      const { answer } = await call(
        motor,
        "tariffy",
        { body: tariffy },
        soapMessage(fault, status),
      );
      expect(answer).toEqual({
        type: "refusal",
        status,
        mediaType: "text/xml",
        content: { fault: { code: "Server", detail: { serviceFault: { errorCode: "E102" } } } },
      });
    }
  });
});
