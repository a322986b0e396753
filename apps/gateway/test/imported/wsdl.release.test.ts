import { fileURLToPath } from "node:url";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import {
  type ImportedPackages,
  importedPackages,
} from "@insurance-gateway/import-provider/testing";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { createSandboxServer, openRecords } from "@insurance-gateway/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

const documents = fileURLToPath(
  new URL("../../../../tooling/import-provider/test/documents/", import.meta.url),
);
const soap = "http://schemas.xmlsoap.org/soap/envelope/";
const types = "http://ws.insurer.example/motor/types";

let imported: ImportedPackages;
let insurer: Insurer;
let simulation: ReturnType<typeof createSandboxServer>;
let gateway: GatewayInProcess;
const records = openRecords(":memory:");

beforeAll(async () => {
  imported = importedPackages(
    ["motor/motor", "claims"].map((name) => ({
      from: `${documents}${name}.wsdl`,
      overlay: `${documents}${name}.overlay.yaml`,
      all: false,
    })),
  );
  const folder = makeGatewayFolder();
  const sandboxes: AnySandbox[] = [];
  for (const { id, sourceOf } of imported.packages) {
    const [index, adapter] = ["index.ts", "adapter.ts"].map((path) =>
      JSON.stringify(sourceOf(path)),
    );
    installPackage(folder, id, `export * from ${index};`, `export * from ${adapter};`);
    const { sandbox }: { sandbox: AnySandbox } = await import(sourceOf("sandbox.ts"));
    sandboxes.push(sandbox);
  }
  simulation = createSandboxServer({ sandboxes, records, clock: () => new Date() });
  const simulated = await simulation.listen({ host: "127.0.0.1", port: 0 });
  insurer = await startInsurer((response) => response.end());
  gateway = await startInProcess(
    {
      providers: [
        {
          // The test implements this insurer for motor policies with raw SOAP.
          package: "provider-x1",
          settings: { brokerCode: "B-17" },
          upstream: {
            baseUrl: insurer.baseUrl,
            credentials: {
              type: "message",
              username: { env: "INSURER_USER" },
              password: { env: "INSURER_PASSWORD" },
            },
          },
        },
        {
          package: "provider-x2",
          upstream: { baseUrl: `${simulated}/provider-x2`, credentials: { type: "none" } },
        },
      ],
    },
    { INSURER_USER: "broker", INSURER_PASSWORD: "not-a-secret" },
    { folder },
  );
}, 120_000);

afterAll(async () => {
  await gateway?.stop();
  await simulation?.close();
  await insurer?.close();
  records.close();
  imported?.remove();
});

async function call(
  path: string,
  { body, method = "POST" }: { readonly body?: unknown; readonly method?: string } = {},
): Promise<{ readonly status: number; readonly content: unknown; readonly bytes: Buffer }> {
  const answer = await fetch(`${gateway.address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = /json/.test(answer.headers.get("content-type") ?? "");
  const content: unknown = isJson ? JSON.parse(bytes.toString("utf8")) : null;
  return { status: answer.status, content, bytes };
}

/** Makes the motor insurer answer with the given SOAP message. */
function answering(payload: string, status = 200): void {
  insurer.behaviour = (response) => {
    response.writeHead(status, { "content-type": "text/xml; charset=utf-8" });
    response.end(`<S:Envelope xmlns:S="${soap}"><S:Body>${payload}</S:Body></S:Envelope>`);
  };
}

const issue = { quotationNumber: "9007199254740993", cardToken: "tok_1" };

describe("a provider that was imported from a WSDL", () => {
  it("the gateway sends an insurer the SOAP message of the imported WSDL, and sends the caller the declared answer", async () => {
    answering(
      `<issuePolicyResponse xmlns="${types}"><policyNumber>P-1</policyNumber><issuedAt>2026-11-23T08:00:00Z</issuedAt></issuePolicyResponse>`,
    );
    const { content, status } = await call("/provider-x1/issuePolicy", { body: issue });
    expect({ content, status }).toEqual({
      status: 200,
      content: { policyNumber: "P-1", issuedAt: "2026-11-23T08:00:00Z", instalments: [] },
    });
    const arrival = insurer.arrivals.at(-1);
    expect(arrival).toMatchObject({ method: "POST", url: "/api/gbox-ws/soap/motor" });
    expect(arrival?.headers.soapaction).toBe('"urn:motor:issuePolicy"');
    expect(arrival?.body).toContain(
      "<n0:brokerCode>B-17</n0:brokerCode><n0:quotationNumber>9007199254740993</n0:quotationNumber><n0:cardToken>",
    );
    expect(arrival?.body).toContain("<wsse:Username>broker</wsse:Username>");
  });

  it.each([
    ["E102", 422, "INVALID_INPUT", "rejected"],
    // The import's overlay file defines no meaning for this code, so the insurer may have acted.
    ["E999", 504, "OUTCOME_UNKNOWN", "unknown"],
  ])(
    "the gateway answers the insurer's SOAP fault %s with %d %s",
    async (errorCode, expected, code, outcome) => {
      answering(
        `<S:Fault><faultcode>S:Server</faultcode><faultstring>Άννα</faultstring><detail><serviceFault xmlns="${types}"><errorCode>${errorCode}</errorCode></serviceFault></detail></S:Fault>`,
        500,
      );
      const { content, status } = await call("/provider-x1/issuePolicy", {
        body: { ...issue, remarks: errorCode },
      });
      expect(content).toMatchObject({ status: expected, code, outcome });
      expect(status).toBe(expected);
      expect(JSON.stringify(content)).not.toContain("Άννα");
    },
  );

  it("the gateway serves the operations of an imported WSDL as file downloads, lookups and searches", async () => {
    const pdf = Buffer.from("%PDF-1.4\n1 0 obj\n%%EOF\n");
    answering(
      `<printPolicyResponse xmlns="${types}"><pdfContent>${pdf.toString("base64")}</pdfContent></printPolicyResponse>`,
    );
    const printed = await call("/provider-x1/printPolicy", { body: { policyNumber: "P-1" } });
    expect(printed.bytes).toEqual(pdf);
    answering(
      `<listUsagesResponse xmlns="${types}"><usage code="00">ΕΙΧ</usage></listUsagesResponse>`,
    );
    const usages = await call("/provider-x1/listUsages", { method: "GET" });
    expect(usages.content).toEqual({ usage: [{ value: "ΕΙΧ", code: "00" }] });
    answering(`<findPoliciesResponse xmlns="${types}"><total>0</total></findPoliciesResponse>`);
    const found = await call("/provider-x1/findPolicies?page=2&pageSize=5", {
      body: { plate: "ΙΚΥ1234" },
    });
    expect(found.content).toEqual({ policies: [], total: 0 });
    expect(insurer.arrivals.at(-1)?.body).toContain(
      "<n0:plate>ΙΚΥ1234</n0:plate><n0:page>2</n0:page><n0:pageSize>5</n0:pageSize>",
    );
  });

  it("the gateway refuses values that violate the schema of an imported WSDL, and sends nothing to the insurer", async () => {
    const before = insurer.arrivals.length;
    const { content, status } = await call("/provider-x1/issuePolicy", {
      body: { quotationNumber: "12x", cardToken: "tok_1" },
    });
    expect(status).toBe(400);
    expect(content).toMatchObject({ errors: [{ pointer: "/quotationNumber" }] });
    expect(insurer.arrivals.length).toBe(before);
  });

  it("the simulated insurer of an imported WSDL gives each reported claim a different number", async () => {
    const claim = { policyNumber: "P1", occurredAt: "2026-11-01T10:00:00Z", isInjury: false };
    const report = (policyNumber: string): ReturnType<typeof call> =>
      call("/provider-x2/reportClaim", {
        body: { claim: { ...claim, policyNumber }, channel: "WEB" },
      });
    const [one, other] = [await report("P1"), await report("P2")];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.content).not.toEqual(other.content);
    const { status } = await call("/provider-x2/notify", { body: { claimNumber: "7" } });
    expect(status).toBe(202);
  });
});
