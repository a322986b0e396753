import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Behaviour, type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(json(500, {}));
  // Keeps the breaker closed after any number of failures.
  const breaker = { failuresInRow: 10_000, minCalls: 10_000 };
  const provider = { ...insurerConfiguration("c", insurer.baseUrl), breaker };
  gateway = await startInProcess({ providers: [provider] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

function download(signal: AbortSignal | null = null): Promise<Response> {
  return gateway.ask("/provider-c/application/ipid?applicationId=C-0001", { signal });
}

describe("a document", () => {
  it("the beginning of a document reaches the caller before the insurer has sent the end", async () => {
    let finish: (() => void) | undefined;
    insurer.behaviour = (response) => {
      response.writeHead(200, {
        "content-type": "application/pdf",
        "content-disposition": 'attachment; filename="../../etc/passwd"',
        etag: '"pdf-1"',
      });
      response.write("%PDF-1.7\nfirst");
      finish = () => response.end("last");
    };
    const response = await download();
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe("%PDF-1.7\nfirst");
    finish?.();
    const last = await reader?.read();
    expect(Buffer.from(last?.value ?? []).toString()).toBe("last");
    expect((await reader?.read())?.done).toBe(true);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="ipid.pdf"');
    expect(response.headers.get("cache-control")).toBe("private");
    expect(response.headers.get("etag"), "a digest of the insurer's ETag").toMatch(/^"[\w-]{43}"$/);
  });

  it("the transfer to the caller fails if the insurer breaks off a document, even if the document has no stated length", async () => {
    for (const length of [{ "content-length": "1000" }, {}] as const) {
      insurer.behaviour = (response) => {
        response.writeHead(200, { "content-type": "application/pdf", ...length });
        response.write("%PDF-1.7\nfirst", () => response.socket?.resetAndDestroy());
      };
      const response = await download();
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
  });

  const unframed = (content: string): Behaviour => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\nconnection: close\r\n\r\n";
    return (response) => response.socket?.end(head + content);
  };

  it("a PDF without a stated length is complete only if its last 1,024 bytes contain the end mark of a PDF", async () => {
    const whole = `%PDF-1.7\n${"x".repeat(9_000)}\n%%EOF`;
    for (const content of [`${whole}\n`, whole + " ".repeat(1_019)]) {
      insurer.behaviour = unframed(content);
      expect(await (await download()).text()).toBe(content);
    }
    for (const content of ["%PDF-1.7\n", whole.slice(0, -1), whole + " ".repeat(1_020)]) {
      insurer.behaviour = unframed(content);
      const response = await download();
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
  });

  it("a PDF with a stated length is complete even without an end mark", async () => {
    insurer.behaviour = (response) =>
      response
        .writeHead(200, { "content-type": "application/pdf", "content-length": "13" })
        .end("%PDF-1.7 last");
    const response = await download();
    expect(response.headers.get("content-length")).toBe("13");
    expect(await response.text()).toBe("%PDF-1.7 last");
  });

  const impostors: Readonly<Record<string, Behaviour>> = {
    "an HTML page with the type of a PDF": (response) =>
      response.writeHead(200, { "content-type": "application/pdf" }).end("<html>"),
    "a PDF with the type of HTML": (response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("%PDF-1.7"),
    "no content": (response) =>
      response.writeHead(200, { "content-type": "application/pdf" }).end(),
    "more than 20 MB": (response) =>
      response
        .writeHead(200, { "content-type": "application/pdf", "content-length": "20971521" })
        .write("%PDF-"),
  };
  it.each(Object.entries(impostors))(
    "the gateway refuses an answer that is not a valid document: %s",
    async (_, behaviour) => {
      insurer.behaviour = behaviour;
      const response = await download();
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({
        code: "PROVIDER_BAD_RESPONSE",
        outcome: "unknown",
      });
    },
  );

  it.each([
    [404, "APPLICATION_NOT_FOUND", null],
    [409, "DOCUMENT_NOT_READY", "7"],
  ])(
    "the gateway passes on the insurer's problem if a document is missing or not ready: %i %s",
    async (status, code, retryAfter) => {
      insurer.behaviour = problem(status, code);
      const response = await download();
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ code, provider: "provider-c" });
      expect(response.headers.get("retry-after")).toBe(retryAfter);
    },
  );

  it("the problem of a document that is not ready has a Retry-After, even if the insurer sends none", async () => {
    insurer.behaviour = json(409, '{"code":"DOCUMENT_NOT_READY"}', {
      "content-type": "application/problem+json",
    });
    const response = await download();
    expect([response.status, response.headers.get("retry-after")]).toEqual([409, "5"]);
  });

  it("the gateway ends the download at the insurer when the caller disconnects", async () => {
    const arrived = insurer.nextArrival();
    const gone = new Promise<void>((resolve) => {
      insurer.behaviour = (response) => response.once("close", () => resolve());
    });
    const caller = new AbortController();
    const answer = download(caller.signal);
    await arrived;
    caller.abort();
    await expect(answer).rejects.toThrow();
    await gone;
  });
});
