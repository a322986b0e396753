import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { callSoap, NAMESPACES, soapMessage, usernameToken } from "./harness/soap.ts";

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
    const { sent } = await callSoap("priceCar", { query: { agent: "A-1" }, body });
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
    expect((await callSoap("listUsages", {})).sent).toEqual([
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
      const { sent } = await callSoap("changePolicy", { body }, { submissionId, settings });
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
      const { sent } = await callSoap(
        "renewPolicy",
        { body: { policyId: "P-1" } },
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
    const dialect = { hasUsernameToken: true } as const;
    const bodyOf = async (given: Parameters<typeof callSoap>[2]) =>
      (await callSoap("listUsages", {}, given)).sent[0]?.body;
    expect(await bodyOf({ login, dialect })).toBe(
      soapMessage("", usernameToken("broker", "secret")),
    );
    expect(await bodyOf({ login: null, dialect })).toBe(soapMessage(""));
    expect(await bodyOf({ login })).toBe(soapMessage(""));
  });

  it.each<[string, Partial<CheckedInput>, string]>([
    ["a control character", { body: { plate: "a\u0000" } }, "/plate"],
    [
      "a control character in a parameter",
      { query: { agent: "a\u0000" }, body: { plate: "1" } },
      "/query/agent",
    ],
    ["an object in place of a text", { body: { plate: {} } }, "/plate"],
    ["a list in place of a text", { body: { plate: ["1"] } }, "/plate"],
    ["a single text in place of a list", { body: { covers: "FIRE" } }, "/covers"],
    ["a text in place of an object", { body: { driver: "Άννα" } }, "/driver"],
    ["the number NaN in an object", { body: { driver: { name: Number.NaN } } }, "/driver/name"],
    ["half of a surrogate pair in a list", { body: { covers: ["FIRE", "\ud800"] } }, "/covers/1"],
  ])("the adapter does not send a SOAP request with %s", async (_, input, pointer) => {
    const { answer, sent } = await callSoap("priceCar", input);
    expect(sent).toEqual([]);
    expect(answer).toEqual({
      type: "unsendable",
      faults: [{ pointer, code: "VALUE", message: "cannot be written in the insurer's format" }],
    });
  });

  it("the error for an invalid setting of the operator names the setting, and no field of the caller's request", async () => {
    const settings = { brokerCode: "\u0000" };
    const body = { policyId: "P-1" };
    await expect(callSoap("changePolicy", { body }, { settings })).rejects.toMatchObject({
      name: "UnsendableError",
      message: "The value at /settings/brokerCode cannot be written in the insurer's format",
      place: "/settings/brokerCode",
    });
    // Without a configured setting, the client's field is sent, so the fault names this field.
    const own = await callSoap("changePolicy", { body: { broker: "\u0000" } }, { settings: {} });
    expect(own.answer).toMatchObject({ faults: [{ pointer: "/broker" }] });
  });
});
