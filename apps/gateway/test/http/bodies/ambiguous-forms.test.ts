import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from "vitest";
import type { GatewayInProcess } from "../../harness/gateway-in-process.ts";
import {
  answerDone,
  type BytesInsurer,
  startBytesInsurer,
  startGatewayBefore,
} from "./bytes-insurer.ts";
import { field, part, photo, place, sendRaw, texts } from "./raw-form.ts";

let insurer: BytesInsurer;
let gateway: GatewayInProcess;
let uploads: string;
beforeAll(async () => {
  insurer = await startBytesInsurer();
  gateway = await startGatewayBefore(insurer);
  uploads = join(gateway.folder.path, "data", "uploads");
});
beforeEach(() => {
  insurer.arrivals.length = 0;
  insurer.behaviour = answerDone;
});
// The gateway removes the files of a request, regardless of the request's result.
afterEach(() => expect.poll(() => (existsSync(uploads) ? readdirSync(uploads) : [])).toEqual([]));
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Sends a form over a connection of the agent; returns the status, and whether the connection was used before. */
async function sendOver(
  agent: Agent,
  body: string,
): Promise<{ readonly status: number | undefined; readonly isReused: boolean }> {
  const sent = request(`${gateway.address}/provider-m/photos`, {
    method: "POST",
    agent,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      "content-type": "multipart/form-data; boundary=b",
    },
  }).end(body);
  // The event's only argument is the answer.
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "close");
  return { status: answer.statusCode, isReused: sent.reusedSocket };
}

describe("ambiguous forms", () => {
  const rest = `${texts}--b--\r\n`;
  const named = (name: string): string =>
    part(
      `Content-Disposition: form-data; name="photo"; filename="${name}"\r\nContent-Type: image/png`,
    ) + rest;
  const cases: Readonly<
    Record<string, readonly [body: string, detail: RegExp, contentType?: string]>
  > = {
    "no boundary": ["x", /boundary/, "multipart/form-data"],
    "an empty boundary": ["x", /boundary/, 'multipart/form-data; boundary=""'],
    "a boundary that is too long": [
      "x",
      /boundary/,
      `multipart/form-data; boundary=${"b".repeat(71)}`,
    ],
    "no part": ["x", /well-formed/],
    "no closing boundary": [texts + photo(), /well-formed/],
    "an end in the middle of a file": [`${texts}${photo().slice(0, -4)}`, /well-formed/],
    "a file name with a path": [named("../../etc/passwd"), /slashes/],
    "a file name with a Windows path": [named("C:\\\\photo.png"), /slashes/],
    "a file name of dots": [named(".."), /slashes/],
    "a file name with a NUL": [named("a\0.png"), /plain text/],
    "a file name with a line feed": [named("a\nX: y"), /Content-Disposition/],
    "a file name with a bidirectional character": [named("a\u202egnp.exe"), /plain text/],
    "a file name with an encoded line break": [
      named("a%0d%0aContent-Type: text/html"),
      /plain text/,
    ],
    "a file name of 10 kB": [named("x".repeat(10_000)), /Content-Disposition/],
    "a file name of 300 characters": [named("x".repeat(300)), /200 characters/],
    "a file name that is not UTF-8": [named("\xff"), /Content-Disposition/],
    "two file names": [named('a.png"; filename="b.png'), /Content-Disposition/],
    "a file name of RFC 5987": [
      named("a.png\"; filename*=utf-8''b.png; x=\""),
      /Content-Disposition/,
    ],
    "text after a quoted file name": [named('a.png" b'), /Content-Disposition/],
    "no Content-Disposition": [part("X-Other: y") + rest, /Content-Disposition/],
    "a part without headers": [`--b\r\n\r\nx\r\n${rest}`, /Content-Disposition/],
    "two boundaries without a part": [`--b\r\n--b\r\n${rest}`, /headers|well-formed/],
    "another Content-Disposition": [
      part('Content-Disposition: attachment; name="photo"') + rest,
      /form-data/,
    ],
    "a part without a name": [part("Content-Disposition: form-data") + rest, /with a name/],
    "a part with an empty name": [field("") + rest, /1 to 200/],
    "a part name with a line separator": [field("a\u2028b") + rest, /plain text/],
    "two Content-Disposition headers": [
      part(
        'Content-Disposition: form-data; name="note"\r\nContent-Disposition: form-data; name="photo"',
      ) + rest,
      /same header twice/,
    ],
    "a form within a form": [
      photo().replace("image/png", "multipart/mixed; boundary=c") + rest,
      /parts itself/,
    ],
    "an invalid media type": [photo().replace("image/png", "image") + rest, /media type/],
    "a part in base64": [
      photo("\r\nContent-Transfer-Encoding: base64") + rest,
      /Content-Transfer-Encoding/,
    ],
    "a text that is not UTF-8": [`${field("note", "\xff")}${place}${photo()}--b--`, /UTF-8/],
    "thousands of parts": [`${field("note").repeat(5_000)}--b--`, /100 parts/],
  };
  it.each(Object.entries(cases))(
    "the gateway refuses a form that two readers could understand in different ways: %s",
    async (name, [body, detail, contentType]) => {
      const isLatin1 = /UTF-8/.test(name);
      const bytes = isLatin1 ? Buffer.from(body, "latin1") : Buffer.from(body);
      const answer = await sendRaw(gateway, bytes, contentType);
      expect(answer).toMatchObject({
        httpStatus: 400,
        code: "INVALID_REQUEST",
        outcome: "not_sent",
      });
      expect(String(answer.detail)).toMatch(detail);
      expect(insurer.arrivals).toEqual([]);
    },
  );

  it("the problem of an invalid form lists all repeated, unknown and missing fields", async () => {
    const body = `${field("note")}${field("note")}${photo()}${photo()}${part('Content-Disposition: form-data; name="other"; filename="x"')}--b--`;
    const answer = await sendRaw(gateway, body);
    expect(answer).toMatchObject({ httpStatus: 400, code: "VALIDATION_FAILED" });
    expect(answer.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ pointer: "/note", code: "REPEATED" }),
        expect.objectContaining({ pointer: "/photo", code: "REPEATED" }),
        expect.objectContaining({ pointer: "/place", code: "REQUIRED" }),
        expect.objectContaining({ pointer: "/other", code: "UNKNOWN_FIELD" }),
      ]),
    );
  });

  it("the gateway refuses a form whose text fields together exceed 64 kB", async () => {
    const body = `${field("note", "x".repeat(40_000))}${field("place", "x".repeat(40_000))}--b--`;
    expect(await sendRaw(gateway, body)).toMatchObject({ httpStatus: 413 });
  });

  it("the gateway accepts a valid form on a connection after it has refused an ambiguous form on the same connection", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const refused = await sendOver(agent, named("../../etc/passwd"));
    const accepted = await sendOver(agent, `${texts}${photo()}--b--`);
    expect([refused, accepted]).toEqual([
      { status: 400, isReused: false },
      { status: 200, isReused: true },
    ]);
  });
});
