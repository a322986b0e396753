import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../../harness/gateway-in-process.ts";
import { problemIn } from "../../harness/problem.ts";
import { makeFolderWithProvider } from "../../harness/provider-package.ts";
import { openRaw } from "../../harness/send-raw.ts";
import { answerDone, type BytesInsurer, formOf, startBytesInsurer } from "./bytes-insurer.ts";
import { texts } from "./raw-form.ts";

let insurer: BytesInsurer;
let gateway: GatewayInProcess;
let uploads: string;
async function start(limits: object = {}): Promise<void> {
  insurer = await startBytesInsurer();
  const folder = makeFolderWithProvider("provider-m", new URL("provider-m.ts", import.meta.url));
  uploads = join(folder.path, "data", "uploads");
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const providers = [{ package: "provider-m", upstream }];
  gateway = await startInProcess({ providers, limits }, {}, { folder });
}
// The gateway removes the files of every request, regardless of the request's result.
afterEach(async () => {
  await expect.poll(() => (existsSync(uploads) ? readdirSync(uploads) : [])).toEqual([]);
  await gateway.stop();
  await insurer.close();
});

/** Sends a photo of `bytes` bytes, and `others` small files. */
function send(bytes: number, others = 0, token = gateway.token): Promise<Response> {
  const body = new FormData();
  body.append("note", "x");
  body.append("place", new Blob(['{"reason":"x"}'], { type: "application/json" }));
  body.append("photo", new Blob([randomBytes(bytes)], { type: "image/png" }), "a.png");
  for (let number = 0; number < others; number += 1)
    body.append("more", new Blob([String(number).repeat(10)]), `${number}.txt`);
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${gateway.address}/provider-m/photos`, { method: "POST", headers, body });
}

/** Makes the insurer wait with its answers until the returned function is called. */
function holdInsurer(): () => void {
  const released = Promise.withResolvers<void>();
  insurer.behaviour = (response) => void released.promise.then(() => answerDone(response));
  return released.resolve;
}

/** Returns the paths of the uploaded files that this process has open. */
function openFiles(): readonly string[] {
  return readdirSync("/proc/self/fd")
    .map((name) => linkOf(join("/proc/self/fd", name)))
    .filter((path) => path.startsWith(uploads));
}

/** Returns the path of an open file, or an empty text if the file was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

it.runIf(process.platform === "linux")(
  "the gateway keeps only one file open on the disk for a request with many files",
  async () => {
    await start();
    const release = holdInsurer();
    const call = send(200_000, 90);
    await expect.poll(() => insurer.arrivals.length).toBe(1);
    expect(openFiles()).toHaveLength(1);
    release();
    expect((await call).status).toBe(200);
    const [arrival] = insurer.arrivals;
    if (arrival === undefined) throw new Error("Nothing has arrived at the insurer");
    const texts = (await formOf(arrival)).getAll("more").map((file) => (file as File).text());
    const expected = Array.from({ length: 90 }, (_, number) => String(number).repeat(10));
    expect(await Promise.all(texts)).toEqual(expected);
  },
);

it("the gateway refuses an upload while the running uploads and this upload together exceed the disk limit", async () => {
  await start({ uploadBytes: 1_048_576 });
  const release = holdInsurer();
  const first = send(900_000);
  await expect.poll(() => insurer.arrivals.length).toBe(1);
  const refused = await send(200_000);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await problemIn(refused)).toMatchObject({
    status: 503,
    code: "OVERLOADED",
    outcome: "not_sent",
    retry: "safe",
  });
  release();
  expect((await first).status).toBe(200);
  await expect.poll(async () => (await send(200_000)).status).toBe(200);
});

it("the gateway refuses only the second of two uploads that together exceed the disk limit, and completely receives the first", async () => {
  await start({ uploadBytes: 1_048_576 });
  const part = (bytes: number): string =>
    `--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${"x".repeat(bytes)}\r\n`;
  const body = `${texts}${part(700_000)}--b--\r\n`;
  const head = [
    "POST /provider-m/photos HTTP/1.1",
    "host: x",
    `authorization: Bearer ${gateway.token}`,
    "content-type: multipart/form-data; boundary=b",
    `content-length: ${body.length}`,
  ].join("\r\n");
  const first = await openRaw(gateway.address);
  first.send(`${head}\r\n\r\n${body.slice(0, 100_000)}`);
  await expect.poll(() => existsSync(uploads) && readdirSync(uploads).length).toBe(1);
  const second = await openRaw(gateway.address);
  second.send(`${head}\r\n\r\n`);
  // The answer arrives before any byte of the second body.
  expect(await second.answer()).toMatchObject({ status: 503, headers: { connection: "close" } });
  first.send(body.slice(100_000));
  expect((await first.answer())?.status).toBe(200);
  first.socket.destroy();
});

it("an upload may exceed the disk limit if no other upload is running", async () => {
  await start({ uploadBytes: 1_048_576 });
  insurer.behaviour = answerDone;
  expect((await send(2_000_000)).status).toBe(200);
});

it("a caller at the maximum of simultaneous uploads cannot begin another upload, but another caller can", async () => {
  await start({ uploadsPerCaller: 2 });
  const release = holdInsurer();
  const held = [send(10), send(10)];
  await expect.poll(() => insurer.arrivals.length).toBe(2);
  const refused = await send(5_000_000);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await problemIn(refused)).toMatchObject({
    status: 429,
    code: "RATE_LIMITED",
    outcome: "not_sent",
    retry: "safe",
  });
  const other = send(10, 0, await gateway.tokenFor("somebody-else"));
  await expect.poll(() => insurer.arrivals.length).toBe(3);
  release();
  for (const call of [...held, other]) expect((await call).status).toBe(200);
  await expect.poll(async () => (await send(10)).status).toBe(200);
});

it("a caller at the maximum of simultaneous uploads can begin another upload after a running upload has broken off", async () => {
  await start({ uploadsPerCaller: 1 });
  const request = httpRequest(`${gateway.address}/provider-m/photos`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.token}`,
      "content-type": "multipart/form-data; boundary=b",
    },
  });
  request
    .on("error", () => undefined)
    .write('--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\nxxx');
  await expect.poll(() => existsSync(uploads) && readdirSync(uploads).length).toBe(1);
  expect((await send(10)).status).toBe(429);
  request.destroy();
  await expect.poll(async () => (await send(10)).status).toBe(200);
});
