import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { createGateway, type Gateway } from "@insurance-gateway/core";
import { saveTo } from "@insurance-gateway/core/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../../harness/gateway-in-process.ts";
import { makeFolderWithProvider } from "../../harness/provider-package.ts";
import { answerDone, type BytesInsurer, startBytesInsurer } from "./bytes-insurer.ts";
import { providerM } from "./provider-m.ts";

// Each test starts a gateway, because the circuit breaker keeps its state between calls.
let insurer: BytesInsurer;
let gateway: GatewayInProcess;
let client: Gateway;
beforeEach(async () => {
  insurer = await startBytesInsurer();
  const folder = makeFolderWithProvider("provider-m", new URL("provider-m.ts", import.meta.url));
  const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
  const providers = [{ package: "provider-m", upstream, retries: { attempts: 1 } }];
  gateway = await startInProcess({ providers }, {}, { folder });
  client = createGateway({ baseUrl: gateway.address, token: gateway.token });
});
afterEach(async () => {
  await client.close();
  await gateway.stop();
  await insurer.close();
});

const { checkLogin, downloadPhoto, printClaim, readNote, readState } = providerM.endpoints;
const params = { claimId: "1" };
const PNG = Buffer.from("\u0089PNG\r\n\u001a\npicture", "latin1");

function answer(contentType: string, content: string | Uint8Array, status = 200) {
  return (response: ServerResponse): void => {
    response.writeHead(status, { "content-type": contentType }).end(content);
  };
}

/** Sends a request with an Accept header; returns the status, the type and the text of the answer. */
async function get(path: string, accept: string): Promise<unknown> {
  const response = await gateway.ask(`/provider-m${path}`, { headers: { accept } });
  const text = await response.text();
  const type = response.headers.get("content-type");
  return { status: response.status, type, text };
}

describe("a document", () => {
  it.each([
    ["image/png", PNG, "photo.png"],
    ["application/zip", Buffer.from("PK\u0003\u0004rest"), "photo.zip"],
    ["text/csv; charset=utf-8", Buffer.from("a;b\n"), "photo.csv"],
  ])(
    "the gateway passes on an insurer's document unchanged, under a file name that the gateway chooses: %s",
    async (type, content, fileName) => {
      insurer.behaviour = answer(type, content);
      const download = await client.call(downloadPhoto, { params });
      expect([download.mediaType, download.fileName]).toEqual([type.split(";")[0], fileName]);
      const path = join(gateway.folder.path, download.fileName);
      await saveTo(download, path);
      expect(readFileSync(path)).toEqual(content);
    },
  );

  it("a document can be requested by POST with a body", async () => {
    insurer.behaviour = answer("application/pdf", "%PDF-1.7\n%%EOF");
    const download = await client.call(printClaim, { body: { reason: "x" } });
    expect(Buffer.from(await download.bytes()).toString()).toBe("%PDF-1.7\n%%EOF");
    const [arrival] = insurer.arrivals;
    expect(arrival).toMatchObject({ method: "POST", url: "/prints" });
    expect(arrival?.body.toString()).toBe('{"reason":"x"}');
  });

  it("a request for a document that is not ready gets a Retry-After, and a later request gets the document", async () => {
    insurer.behaviour = (response) => {
      insurer.behaviour = answer("image/png", PNG);
      response.writeHead(202, { "retry-after": "3", "content-type": "text/plain" }).end("wait");
    };
    const options = { headers: { authorization: `Bearer ${gateway.token}` } };
    const url = `${gateway.address}/provider-m/claims/1/photo`;
    const first = await fetch(url, options);
    expect([first.status, first.headers.get("retry-after")]).toEqual([409, "3"]);
    expect(await first.json()).toMatchObject({ code: "DOCUMENT_NOT_READY", retry: "safe" });
    expect(Buffer.from(await (await fetch(url, options)).arrayBuffer())).toEqual(PNG);
  });

  it("the gateway requests a document from the insurer in the media types that the caller accepts, the preferred type first", async () => {
    insurer.behaviour = answer("text/csv", "a;b");
    expect(await get("/claims/1/photo", "text/csv;q=0.9, application/zip")).toMatchObject({
      status: 200,
    });
    expect(insurer.arrivals[0]?.headers.accept).toBe(
      "application/zip, text/csv, application/problem+json",
    );
    expect(await get("/claims/1/photo", "image/png")).toMatchObject({ status: 406 });
    expect(await get("/claims/1/photo", "image/gif")).toMatchObject({ status: 406 });
    expect(insurer.arrivals).toHaveLength(2);
  });

  const impostors: readonly (readonly [string, string, string | Uint8Array])[] = [
    ["a PNG in place of a PDF", "image/png", PNG],
    ["a PDF without its signature", "application/pdf", "PK\u0003\u0004"],
    ["an undeclared type", "application/x-other", "x"],
  ];
  it.each(impostors)(
    "the gateway refuses an insurer's answer that is not the declared document, and still calls the insurer's other endpoints: %s",
    async (_, type, content) => {
      insurer.behaviour = answer(type, content);
      for (let count = 0; count < 12; count++)
        await expect(client.call(printClaim, { body: { reason: "x" } })).rejects.toMatchObject({
          code: "PROVIDER_BAD_RESPONSE",
        });
      insurer.behaviour = answerDone;
      const body = { user: "x", attempts: 1, roles: ["a"] };
      expect(await client.call(checkLogin, { body })).toEqual({ done: true });
    },
  );

  it.each([
    ["with the type HTML", "text/html", "<p>Maintenance"],
    ["with the type of a picture", "image/png", "<html><p>Maintenance"],
    ["with the type of a table", "text/csv", "\uFEFF\n<!DOCTYPE html><p>Maintenance"],
  ])(
    "an HTML page in place of a document counts as a failure of the insurer: %s",
    async (_, type, content) => {
      insurer.behaviour = answer(type, content);
      for (let count = 0; count < 5; count++)
        await expect(client.call(downloadPhoto, { params })).rejects.toMatchObject({
          code: "PROVIDER_BAD_RESPONSE",
        });
      insurer.behaviour = answerDone;
      const body = { user: "x", attempts: 1, roles: ["a"] };
      await expect(client.call(checkLogin, { body, timeout: 1_000 })).rejects.toMatchObject({
        code: "PROVIDER_UNAVAILABLE",
      });
    },
  );
});

describe("an answer with the type HTML", () => {
  it("the gateway accepts an insurer's answer of the type text/html if this type is declared and the text fits the schema", async () => {
    insurer.behaviour = answer("text/html", "OPEN");
    expect(await client.call(readState, { params })).toBe("OPEN");
    insurer.behaviour = answer("text/html", "<html><p>Maintenance");
    await expect(client.call(readState, { params })).rejects.toMatchObject({
      code: "PROVIDER_BAD_RESPONSE",
    });
  });
});

describe("an answer of several media types", () => {
  it("the caller receives the insurer's answer in the media type that the insurer used", async () => {
    insurer.behaviour = answer("application/json", '{"reason":"x"}');
    expect(await client.call(readNote, { params })).toEqual({ reason: "x" });
    insurer.behaviour = answer("text/plain; charset=iso-8859-7", Buffer.from([0xe1, 0xe2, 0x0a]));
    expect(await client.call(readNote, { params })).toBe("αβ\n");
    expect(await get("/claims/1/note", "*/*")).toEqual({
      status: 200,
      type: "text/plain; charset=utf-8",
      text: "αβ\n",
    });
  });

  it("the gateway checks an insurer's answer by the schema of the answer's media type, and refuses an undeclared media type", async () => {
    for (const behaviour of [
      answer("text/plain", "x".repeat(51)),
      answer("application/json", '"text"'),
      answer("text/csv", "x"),
    ]) {
      insurer.behaviour = behaviour;
      await expect(client.call(readNote, { params })).rejects.toMatchObject({
        code: "PROVIDER_BAD_RESPONSE",
      });
    }
  });

  it("the gateway passes on an insurer's answer only if the caller accepts the answer's media type", async () => {
    insurer.behaviour = answer("text/plain", "x");
    expect(await get("/claims/1/note", "text/plain")).toMatchObject({ status: 200, text: "x" });
    expect(await get("/claims/1/note", "application/json")).toMatchObject({ status: 406 });
  });
});
