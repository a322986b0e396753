import { defineProvider } from "@insurance-gateway/core/contract";
import { expect, it } from "vitest";
import { type AdapterContext, plainText } from "../src/index.ts";
import { parseXml, type SoapDialect, soapDialect, type XmlElement } from "../src/soap/index.ts";
import { listBrands } from "./harness/declarations.ts";

const provider = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  endpoints: { listBrands },
});

const plain: SoapDialect<typeof provider> = {
  failures: [],
  path: "/soap",
  namespace: "u:insurer",
  calls: {
    listBrands: {
      operation: "brands",
      body: [["/settings/agent", "/agent", plainText]],
      value: [{ list: ["/items", "/brand"], each: plainText }],
    },
  },
};

/** The message that a dialect sends for the brands. */
async function messageOf(
  dialect: SoapDialect<typeof provider>,
  login: AdapterContext["login"] = null,
): Promise<XmlElement | null> {
  let message = "";
  await soapDialect(provider, dialect).call(
    listBrands,
    { params: {}, query: {}, headers: {}, body: undefined },
    async ({ body }) => {
      message = String(body);
      const bytes = new Uint8Array();
      return {
        status: 200,
        headers: {},
        mediaType: "text/html",
        text: async () => "",
        textWithDocuments: () => Promise.reject(new TypeError("It has no documents")),
        bytes: async () => bytes,
        async *stream() {
          yield bytes;
        },
      };
    },
    { submissionId: null, settings: { agent: "0042" }, login, now: () => new Date(0) },
  );
  return parseXml(message);
}

const oasis = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";

it("a SOAP message names its elements with the insurer's namespace, or without one", async () => {
  const body = (namespace: string): object => ({
    name: "Envelope",
    children: [
      {
        name: "Body",
        children: [
          {
            name: "brands",
            namespace: "u:insurer",
            children: [{ name: "agent", namespace, text: "0042" }],
          },
        ],
      },
    ],
  });
  expect(await messageOf(plain)).toMatchObject(body("u:insurer"));
  expect(await messageOf({ ...plain, isUnqualified: true })).toMatchObject(body(""));
});

it("a SOAP message has a UsernameToken where the dialect wants one and there is a login", async () => {
  const login = { username: "αgent", password: "<&>" };
  const message = await messageOf({ ...plain, hasUsernameToken: true }, login);
  expect(message?.children).toMatchObject([
    {
      name: "Header",
      children: [
        {
          name: "Security",
          namespace: `${oasis}-wssecurity-secext-1.0.xsd`,
          children: [
            {
              name: "UsernameToken",
              children: [{ text: "αgent" }, { name: "Password", text: "<&>" }],
            },
          ],
        },
      ],
    },
    { name: "Body" },
  ]);
  expect((await messageOf(plain, login))?.children).toMatchObject([{ name: "Body" }]);
});
