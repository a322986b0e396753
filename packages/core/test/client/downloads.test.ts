import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Download } from "../../src/index.ts";
import { saveTo } from "../../src/node/index.ts";
import { connect } from "../harness/connect.ts";
import { downloadTerms } from "../harness/declarations.ts";
import { endlessBody } from "../harness/endless-body.ts";
import { failureOf } from "../harness/failure.ts";
import { brokenMidway, json, problem, raw } from "../harness/replies.ts";
import { type Reply, scriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pdf = "application/pdf";
const input = { query: { policyId: "M-1" } };
const MEGABYTE = 1024 * 1024;

async function download(reply: Reply): Promise<Download> {
  const server = await scriptedServer(reply);
  return connect(server.address).call(downloadTerms, input);
}

it("a download has its media type, its size and a safe file name before its content is read", async () => {
  const hostile = { "content-disposition": 'attachment; filename="../../evil.exe"' };
  const terms = await download(raw("%PDF-", "Application/PDF; version=1.7", 200, hostile));
  expect(terms).toMatchObject({ mediaType: pdf, fileName: "terms.pdf", size: 5 });
  await terms.bytes();
});

it("a download has the size `null` if the answer has no Content-Length", async () => {
  const terms = await download((response) => {
    response.writeHead(200, { "content-type": pdf });
    response.write("%P");
    response.end("DF-");
  });
  expect(terms.size).toBeNull();
  expect(Buffer.from(await terms.bytes()).toString()).toBe("%PDF-");
});

it("`withResponse()` of a download returns the answer's status and request ID", async () => {
  const server = await scriptedServer(raw("%PDF-", pdf, 200, { "x-request-id": "req-3" }));
  const call = connect(server.address).call(downloadTerms, input);
  const { data, response } = await call.withResponse();
  expect(response).toMatchObject({ status: 200, requestId: "req-3" });
  await data.bytes();
});

it("`bytes()` and `stream()` of a download return exactly the bytes that the gateway sent", async () => {
  const content = Buffer.concat([Buffer.from("%PDF-"), randomBytes(3 * MEGABYTE + 1)]);
  const whole = await (await download(raw(content, pdf))).bytes();
  expect(content.equals(whole)).toBe(true);
  const pieces: Uint8Array[] = [];
  for await (const piece of (await download(raw(content, pdf))).stream()) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(1);
  expect(content.equals(Buffer.concat(pieces))).toBe(true);
});

it.each<[string, (terms: Download) => Promise<unknown>]>([
  ["bytes()", (terms) => terms.bytes()],
  ["saveTo()", (terms) => saveTo(terms, join(tmpdir(), "core-never-written.pdf"))],
  ["stream()", async (terms) => terms.stream()[Symbol.asyncIterator]().next()],
])(
  "the second read of a download fails, because a download can be read only once: %s",
  async (_, again) => {
    const terms = await download(raw("%PDF-", pdf));
    await terms.bytes();
    expect(String(await failureOf(again(terms)))).toContain("A body can be read only once");
  },
);

it.each([
  ["an HTML page", raw("<h1>Sign in</h1>", "text/html")],
  ["JSON", json({})],
  ["an empty answer", raw("", pdf, 204)],
  ["a file without a media type", (response) => void response.end("%PDF")],
] satisfies [string, Reply][])(
  "the client throws a ResponseInvalidError if the answer to a download is not a PDF: %s",
  async (_, reply) => {
    expect(await failureOf(download(reply))).toMatchObject({
      name: "ResponseInvalidError",
      outcome: "unknown",
      retry: "safe",
    });
  },
);

it.each([
  ["an empty file", raw("", pdf), "The document is empty."],
  ["a proxy's HTML page", raw("<h1>Sign in</h1>", pdf), "is not a file of type application/pdf"],
  [
    "only the beginning of the PDF signature",
    raw("%P", pdf),
    "is not a file of type application/pdf",
  ],
])(
  "the download of a PDF fails, and `saveTo` leaves no file, if the content is not a PDF: %s",
  async (_, reply, text) => {
    const folder = await temporaryFolder();
    const saved = await failureOf(saveTo(await download(reply), join(folder, "terms.pdf")));
    const read = await failureOf((await download(reply)).bytes());
    for (const failure of [saved, read]) {
      expect(failure).toMatchObject({ name: "ResponseInvalidError", retry: "safe" });
      expect(String(failure)).toContain(text);
    }
    expect(await readdir(folder)).toEqual([]);
  },
);

it.each([
  ["an empty line", `\r\n\r\n<!DOCTYPE html><h1>Sign in</h1>`],
  ["a byte order mark", `\uFEFF<html lang="el"><h1>Sign in</h1>`],
])("the download of a CSV file fails if the content is an HTML page after %s", async (_, page) => {
  const type = { mediaType: "text/csv", extension: "csv" };
  const downloadTable: typeof downloadTerms = { ...downloadTerms, files: [type] };
  const server = await scriptedServer(raw(page, "text/csv"), raw("afm;plate\n", "text/csv"));
  const gateway = connect(server.address);
  const table = await gateway.call(downloadTable, input);
  expect(String(await failureOf(table.bytes()))).toContain("is not a file of type text/csv");
  const good = await (await gateway.call(downloadTable, input)).bytes();
  expect(Buffer.from(good).toString()).toBe("afm;plate\n");
});

it("the client throws the gateway's problem if the gateway refuses a download", async () => {
  const refusal = problem({ status: 404, code: "APPLICATION_NOT_FOUND", retry: "never" });
  expect(await failureOf(download(refusal))).toMatchObject({
    name: "ProblemError",
    code: "APPLICATION_NOT_FOUND",
  });
});

it("the client reports a failed connection and advises that a retry is safe if a download breaks off midway", async () => {
  for (const read of [
    (terms: Download) => terms.bytes(),
    async (terms: Download) => {
      for await (const piece of terms.stream()) expect(piece.byteLength).toBeLessThan(1_000);
    },
  ])
    expect(await failureOf(read(await download(brokenMidway(pdf))))).toMatchObject({
      name: "ConnectionError",
      code: "CONNECTION_FAILED",
      outcome: "unknown",
      retry: "safe",
    });
});

it("the client stops a download that is larger than 32 MB", async () => {
  const server = endlessBody(33 * MEGABYTE, pdf);
  const failure = await failureOf((await download(server.reply)).bytes());
  expect(failure).toMatchObject({ name: "ResponseInvalidError", outcome: "unknown" });
  expect(String(failure)).toContain("larger than 32 MB");
});

it("the client does not receive all bytes of a download before the calling program reads the download", async () => {
  const size = 30 * MEGABYTE;
  const body = endlessBody(size, pdf);
  const server = await scriptedServer(body.reply, json({}));
  const terms = await connect(server.address).call(downloadTerms, input);
  // The requests of this loop give the body time to arrive. The body would arrive if the client read ahead of the
  // program.
  for (let count = 0; count < 300; count++) await (await fetch(server.address)).text();
  // The two sockets buffer a part of the body. The rest must wait for the reader.
  expect(body.taken()).toBeLessThan(size * 0.75);
  expect(body.taken()).toBeGreaterThan(0);

  let read = 0;
  for await (const piece of terms.stream()) read += piece.byteLength;
  expect(read).toBe(size);
  expect(body.taken()).toBe(size);
});

it("the client stops the transfer if the calling program stops reading a download", async () => {
  const body = endlessBody(30 * MEGABYTE, pdf);
  const terms = await download(body.reply);
  for await (const piece of terms.stream()) {
    expect(piece.byteLength).toBeGreaterThan(0);
    break;
  }
  await body.closed;
  expect(body.taken()).toBeLessThan(30 * MEGABYTE);
});
