import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { plainText } from "@insurance-gateway/adapter";
import { type SoapDialect, soapDialect } from "@insurance-gateway/adapter/soap";
import { defineProvider, type Submission, submission } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { text as anyText, loose, strict, zod } from "@insurance-gateway/core/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { speakTo } from "./speaking.ts";

interface Holder {
  name: string;
}
interface Policy {
  holder: Holder;
}
const holder = zod<Holder>(strict<Holder>({ name: anyText() }));
const issuePolicy: Submission<{ body: Policy; response: Policy }> = submission({
  provider: "provider-m",
  path: "/policies",
  body: strict<Policy>({ holder }),
  response: { 201: loose<Policy>({ holder }) },
  idempotency: "none",
});
const provider = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["marine"],
  endpoints: { issuePolicy },
});

/** The bodies of the requests that the insurer received. The insurer's answer repeats the name from the request. */
const arrived: Buffer[] = [];
let charset: "iso-8859-7" | "windows-1253" | "utf-8";
const server = createServer((request, response) => void answer(request, response));
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = Buffer.concat(await request.toArray());
  arrived.push(bytes);
  const named = new RegExp(`charset=${charset}$`).test(request.headers["content-type"] ?? "");
  const start = bytes.indexOf("<name>") + "<name>".length;
  const name = bytes.subarray(start, bytes.indexOf("</name>"));
  response.writeHead(named ? 200 : 415, { "content-type": `text/xml; charset=${charset}` });
  response.write('<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>');
  response.write('<issueResponse xmlns="u:insurer"><name>');
  response.write(name);
  response.end("</name></issueResponse></e:Body></e:Envelope>");
}
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function issue(name: string): Promise<unknown> {
  const dialect: SoapDialect<typeof provider> = {
    failures: [],
    path: "/soap",
    namespace: "u:insurer",
    charset,
    calls: {
      issuePolicy: {
        operation: "issue",
        body: [["/body/holder/name", "/name", plainText]],
        value: [["/holder/name", "/name", plainText]],
        status: 201,
      },
    },
  };
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const insurer = speakTo(`http://127.0.0.1:${port}`, soapDialect(provider, dialect));
  try {
    const answer = await insurer.call(issuePolicy, { body: { holder: { name } } });
    return answer instanceof Refusal ? answer : JSON.parse(String(answer.content));
  } finally {
    await insurer.close();
  }
}

describe("requests in the insurer's charset", () => {
  it.each([
    ["iso-8859-7", "Ά", 0xb6],
    ["windows-1253", "Ά", 0xa2],
    ["windows-1253", "€", 0x80],
    ["iso-8859-7", "ς", 0xf2],
  ] as const)(
    "the gateway encodes a letter in the charset %s as one byte: %s",
    async (declared, letter, byte) => {
      charset = declared;
      const name = `Παπαδοπούλου & ${letter} <Λ>`;
      expect(await issue(name)).toEqual({ holder: { name } });
      const bytes = arrived.at(-1) ?? Buffer.alloc(0);
      expect(bytes.includes(Buffer.from([0x26, 0x61, 0x6d, 0x70, 0x3b, 0x20, byte, 0x20]))).toBe(
        true,
      );
      expect(bytes.subarray(0, 60).toString("latin1")).toContain(
        `encoding="${declared.toUpperCase()}"`,
      );
    },
  );

  it.each([
    ["iso-8859-7", "Müller"],
    ["windows-1253", "Ελένη 🚗"],
    ["windows-1253", "Łukasz"],
    ["utf-8", "half of a character: \uD83D"],
  ] as const)(
    "the gateway sends no request if the insurer's charset %s lacks a character in the caller's input: %s",
    async (declared, name) => {
      charset = declared;
      const before = arrived.length;
      const refusal = await issue(name);
      expect(refusal).toMatchObject({
        code: "INVALID_INPUT",
        details: {
          outcome: "not_sent",
          errors: [
            {
              pointer: "/holder/name",
              code: "VALUE",
              message: "has a character that the insurer's charset does not have",
            },
          ],
        },
      });
      expect(JSON.stringify(refusal)).not.toContain(name);
      expect(arrived).toHaveLength(before);
    },
  );
});
