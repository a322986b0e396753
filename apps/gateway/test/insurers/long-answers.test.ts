import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeEach(async () => {
  insurer = await startInsurer(() => {});
  const providers = [insurerConfiguration("b", insurer.baseUrl)];
  gateway = await startInProcess({ providers });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

const country = { code: "GR", alpha3: "GRC", name: "Greece", nameEl: "Ελλάδα" };
/** JSON with unusual spaces; it is long enough for the gateway to pass on the insurer's bytes. */
const LONG = JSON.stringify(
  { items: Array.from({ length: 200 }, () => ({ ...country, zone: "GREECE", schengen: true })) },
  null,
  1,
);

it.each([
  ["UTF-8", "application/json", Buffer.from(LONG)],
  ["UTF-8 with its name", "application/json; charset=UTF-8", Buffer.from(LONG)],
  ["UTF-8 with a byte order mark", "application/json", Buffer.from(`\ufeff${LONG}`)],
  // In ISO 8859-7, the byte of a Greek letter is its code point minus 0x2d0.
  ["ISO 8859-7", "application/json; charset=iso-8859-7", greek(LONG)],
])(
  "the caller receives a long answer in UTF-8 with the insurer's white space, regardless of the insurer's charset: %s",
  async (_, type, bytes) => {
    insurer.behaviour = (response) => response.writeHead(200, { "content-type": type }).end(bytes);
    const answer = await gateway.ask("/provider-b/countries");
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(LONG)));
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(LONG))).toBe(true);
  },
);

function greek(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (letter) => {
      const code = letter.codePointAt(0) ?? 0;
      return code < 128 ? code : code - 0x2d0;
    }),
  );
}
