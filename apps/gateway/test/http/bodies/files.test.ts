import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { createGateway, type Gateway } from "@insurance-gateway/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../../harness/gateway-in-process.ts";
import { makeFolderWithProvider } from "../../harness/provider-package.ts";
import {
  answerDone,
  type BytesInsurer,
  formOf,
  startBytesInsurer,
  startGatewayBefore,
} from "./bytes-insurer.ts";
import { providerM } from "./provider-m.ts";
import { part, photo, sendRaw, texts } from "./raw-form.ts";

let insurer: BytesInsurer;
let gateway: GatewayInProcess;
let client: Gateway;
let uploads: string;
beforeAll(async () => {
  insurer = await startBytesInsurer();
  gateway = await startGatewayBefore(insurer);
  uploads = join(gateway.folder.path, "data", "uploads");
  client = createGateway({ baseUrl: gateway.address, token: gateway.token });
});
beforeEach(() => {
  insurer.arrivals.length = 0;
  insurer.behaviour = answerDone;
});
// The gateway removes the files of a request, regardless of the request's result.
afterEach(() => expect.poll(filesLeft).toEqual([]));
afterAll(async () => {
  await client.close();
  await gateway.stop();
  await insurer.close();
});

function filesLeft(): readonly string[] {
  return existsSync(uploads) ? readdirSync(uploads) : [];
}

const { addEvidence, readPhoto } = providerM.endpoints;
const png = { mediaType: "image/png", name: 'δικό μου "photo".png', content: randomBytes(300_000) };
const evidence = { note: "Πίσω δεξιά", place: { reason: "Αθήνα" }, photo: png };

/** Returns the form that the insurer received: texts, and the digests of files. */
async function formAtInsurer(): Promise<readonly unknown[]> {
  const [arrival] = insurer.arrivals.slice(-1);
  if (arrival === undefined) throw new Error("Nothing has arrived at the insurer");
  return Promise.all(
    [...(await formOf(arrival))].map(async ([name, value]) =>
      typeof value === "string"
        ? [name, value]
        : [name, value.name, value.type, digestOf(Buffer.from(await value.arrayBuffer()))],
    ),
  );
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe("a form with files", () => {
  it("the insurer receives the texts, the objects and the files of a form unchanged, whether a file is in memory, on disk or a stream", async () => {
    const path = join(gateway.folder.path, "page.txt");
    writeFileSync(path, "on disk");
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("in ");
      yield Buffer.from("pieces");
    }
    const more = [
      { mediaType: "text/plain", content: { path }, name: "page.txt" },
      { mediaType: "text/plain", content: pieces() },
    ];
    const params = { claimId: "1" };
    const answer = await client.call(addEvidence, { params, body: { ...evidence, more } });
    expect(answer).toEqual({ done: true });
    expect(await formAtInsurer()).toEqual([
      ["note", "Πίσω δεξιά"],
      ["place", '{"reason":"Αθήνα"}'],
      ["photo", 'δικό μου "photo".png', "image/png", digestOf(png.content)],
      ["more", "page.txt", "text/plain", digestOf(Buffer.from("on disk"))],
      ["more", "file", "text/plain", digestOf(Buffer.from("in pieces"))],
    ]);
  });

  it("two forms with files count as the same submission if their texts and the bytes of their files are equal", async () => {
    const params = { claimId: "2" };
    const head = async (body: object): Promise<string | undefined> =>
      (await client.call(addEvidence, { params, body: { ...evidence, ...body } }).withResponse())
        .response.headers.location;
    const idempotencyKey = "one-form";
    await client.call(addEvidence, { params, body: evidence, idempotencyKey });
    const again = client.call(addEvidence, { params, body: evidence, idempotencyKey });
    expect((await again.withResponse()).response.headers["idempotency-replayed"]).toBe("true");
    const content = Buffer.from(png.content);
    content[299_999] = (content[299_999] ?? 0) ^ 1;
    const changed = { ...evidence, photo: { ...png, content } };
    await expect(
      client.call(addEvidence, { params, body: changed, idempotencyKey }),
    ).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    expect(await head({ note: "other" })).toBeDefined();
  });

  it("the gateway keeps uploaded files encrypted on disk while the request runs, and removes the files afterwards", async () => {
    let seen: readonly { readonly mode: number; readonly bytes: Buffer }[] = [];
    insurer.behaviour = (response) => {
      seen = readdirSync(uploads).map((name) => ({
        mode: statSync(join(uploads, name)).mode & 0o777,
        bytes: readFileSync(join(uploads, name)),
      }));
      answerDone(response);
    };
    await client.call(addEvidence, { params: { claimId: "3" }, body: evidence });
    expect(seen.map(({ mode }) => mode.toString(8))).toEqual(["600"]);
    expect(seen[0]?.bytes.length).toBeGreaterThan(png.content.length);
    expect(seen[0]?.bytes.includes(png.content.subarray(1_000, 1_032))).toBe(false);
    await expect.poll(() => readdirSync(uploads)).toEqual([]);
  });

  it("the insurer receives a form completely, even if the caller disconnects before the answer", async () => {
    // The photo is larger than the buffers of the connections.
    const photo = { ...png, content: randomBytes(9_000_000) };
    const abort = new AbortController();
    const sent = client.call(addEvidence, {
      params: { claimId: "4" },
      body: { ...evidence, photo },
      signal: abort.signal,
    });
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    insurer.beforeReading = async () => {
      abort.abort();
      await expect(sent).rejects.toMatchObject({ outcome: "unknown" });
      // The answer to this later request shows that the gateway has noticed the caller's disconnect.
      await sendRaw(gateway, "x");
    };
    insurer.behaviour = (response) => {
      answerDone(response);
      resolve();
    };
    await arrived;
    insurer.beforeReading = () => Promise.resolve();
    expect(await formAtInsurer()).toContainEqual([
      "photo",
      png.name,
      png.mediaType,
      digestOf(photo.content),
    ]);
    await expect.poll(() => readdirSync(uploads)).toEqual([]);
  });

  it("the gateway sends a form with files again after a failed call if the endpoint changes nothing at the insurer", async () => {
    insurer.behaviour = (response) => {
      insurer.behaviour = answerDone;
      response.writeHead(503).end();
    };
    expect(await client.call(readPhoto, { body: evidence })).toEqual({ done: true });
    const [first, second] = insurer.arrivals;
    expect(first?.body.length).toBeGreaterThan(300_000);
    expect(second?.body.length).toBe(first?.body.length);
  });

  it("the gateway removes an uploaded file if the caller's transfer breaks off", async () => {
    const request = httpRequest(`${gateway.address}/provider-m/photos`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.token}`,
        "content-type": "multipart/form-data; boundary=b",
      },
    });
    request.on("error", () => undefined).write(photo("", "x".repeat(200_000)).slice(0, 150_000));
    await expect.poll(() => readdirSync(uploads).length).toBe(1);
    request.destroy();
    await expect.poll(() => readdirSync(uploads)).toEqual([]);
    expect(insurer.arrivals).toEqual([]);
  });

  it("the client does not send a form with a missing file", async () => {
    const body = { ...evidence, photo: { ...png, content: { path: "/nowhere" } } };
    const call = client.call(readPhoto, { body });
    await expect(call).rejects.toMatchObject({
      outcome: "not_sent",
      errors: [{ pointer: "/photo/content/path", code: "INVALID" }],
    });
  });
});

describe("a file", () => {
  it.each([
    [
      "a file of another type",
      { ...evidence, photo: { ...png, mediaType: "image/gif" } },
      "/photo",
      "VALUE",
    ],
    ["a text in place of a file", { ...evidence, photo: "x" }, "/photo", "TYPE"],
    ["no file", { ...evidence, photo: undefined }, "/photo", "REQUIRED"],
    [
      "a file that is too large",
      { ...evidence, more: [{ mediaType: "text/plain", content: Buffer.alloc(1_025) }] },
      "/more/0",
      "LENGTH",
    ],
  ])("the client refuses a form with an invalid file: %s", async (_, body, pointer, code) => {
    // Callers without types can pass any value.
    const call = client.call(readPhoto, { body: body as typeof evidence });
    await expect(call).rejects.toMatchObject({ outcome: "not_sent", errors: [{ pointer, code }] });
  });

  it("the gateway refuses an uploaded file whose media type the endpoint does not declare", async () => {
    const gif = photo().replace("image/png", "image/gif");
    expect(await sendRaw(gateway, `${texts}${gif}--b--`)).toMatchObject({
      httpStatus: 400,
      errors: [
        {
          pointer: "/photo",
          code: "VALUE",
          message: "must be a file of type image/png or image/jpeg",
        },
      ],
    });
  });

  it("the gateway refuses an uploaded file as soon as the received bytes exceed the limit of the form's field", async () => {
    const more = part(
      'Content-Disposition: form-data; name="more"; filename="a"',
      "x".repeat(1_025),
    );
    expect(await sendRaw(gateway, `${texts}${photo()}${more}--b--`)).toMatchObject({
      httpStatus: 413,
      code: "PAYLOAD_TOO_LARGE",
      detail: "The file more may have at most 1 kB.",
    });
    const large = photo("", "x".repeat(10_485_761));
    expect(await sendRaw(gateway, `${texts}${large}--b--`)).toMatchObject({ httpStatus: 413 });
  });
});

it("a starting gateway removes the uploaded files that an earlier process has left", async () => {
  const folder = makeFolderWithProvider("provider-m", new URL("provider-m.ts", import.meta.url));
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const configuration = { providers: [{ package: "provider-m", upstream }] };
  const first = await startInProcess(configuration, {}, { folder });
  await first.end();
  const left = join(folder.path, "data", "uploads");
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, "left-behind"), "x");
  const second = await startInProcess(configuration, {}, { folder });
  expect(readdirSync(left)).toEqual([]);
  await second.stop();
});
