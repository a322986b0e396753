import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunInProcess, runsInProcess } from "../../harness/command-line.ts";
import { type GatewayInProcess, startInProcess } from "../../harness/gateway-in-process.ts";
import { makeFolderWithProvider } from "../../harness/provider-package.ts";
import { type BytesInsurer, formOf, startBytesInsurer } from "./bytes-insurer.ts";

let insurer: BytesInsurer;
let gateway: GatewayInProcess;
let run: RunInProcess;
beforeAll(async () => {
  insurer = await startBytesInsurer();
  const folder = makeFolderWithProvider("provider-m", new URL("provider-m.ts", import.meta.url));
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const providers = [{ package: "provider-m", upstream }];
  gateway = await startInProcess({ providers }, {}, { folder });
  run = runsInProcess({ folder: folder.path, address: gateway.address });
  writeFileSync(join(folder.path, "photo.jpg"), "a picture");
  writeFileSync(join(folder.path, "claim.pdf"), "%PDF-1.7");
  writeFileSync(join(folder.path, "note.txt"), "Πρώτη\nδεύτερη");
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const claim = ["--claim-id", "1"];

it("the command `call` sends the files that its flags name", async () => {
  const flags = [...claim, "--note", "x", "--place-reason", "y", "--photo", "photo.jpg"];
  const more = ["--more", "note.txt;type=text/plain", "--more", "claim.pdf"];
  const { code, stderr } = await run(["call", "provider-m", "addEvidence", ...flags, ...more]);
  expect([code, stderr.includes("error")]).toEqual([0, false]);
  const [arrival] = insurer.arrivals.slice(-1);
  if (arrival === undefined) throw new Error("Nothing has arrived at the insurer");
  const parts = [...(await formOf(arrival))].map(([name, value]) =>
    typeof value === "string" ? [name, value] : [name, value.name, value.type],
  );
  expect(parts).toEqual([
    ["note", "x"],
    ["place", '{"reason":"y"}'],
    ["photo", "photo.jpg", "image/jpeg"],
    ["more", "note.txt", "text/plain"],
    ["more", "claim.pdf", "application/octet-stream"],
  ]);
});

it.each([
  ["scanClaim", ["--body", "claim.pdf"], "application/pdf", "%PDF-1.7"],
  ["describeClaim", ["--body", "note.txt"], "text/plain; charset=utf-8", "Πρώτη\nδεύτερη"],
  [
    "noteClaim",
    ["--body", "note.txt", "--media-type", "text/plain"],
    "text/plain; charset=utf-8",
    "Πρώτη\nδεύτερη",
  ],
  ["withdrawClaim", [], undefined, ""],
])(
  "the command `call` sends a body in the media type of the endpoint: %s",
  async (endpoint, flags, type, text) => {
    const { code } = await run(["call", "provider-m", endpoint, ...claim, ...flags]);
    expect(code).toBe(0);
    const [arrival] = insurer.arrivals.slice(-1);
    expect(arrival?.headers["content-type"]).toBe(type);
    expect(arrival?.body.toString()).toBe(text);
  },
);

it("the command `call` sends nothing if a file that a flag names does not exist", async () => {
  const before = insurer.arrivals.length;
  const flags = [...claim, "--body", "nowhere.pdf"];
  const { code, stderr } = await run(["call", "provider-m", "scanClaim", ...flags]);
  expect([code, insurer.arrivals.length - before]).toEqual([2, 0]);
  expect(stderr).toContain("must be a file that can be read");
});
