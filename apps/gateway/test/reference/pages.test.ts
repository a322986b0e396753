import { problemCodes } from "@insurance-gateway/core/problems";
import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { sendRaw } from "../harness/send-raw.ts";

let gateway: GatewayInProcess;

beforeAll(async () => {
  const [a, ...others] = sandboxConfiguration.providers;
  gateway = await startInProcess({
    listen: { basePath: "/insurance" },
    providers: [{ ...a, segment: "hellas" }, ...others],
  });
});
afterAll(() => gateway.stop());

const at = (path: string): string => `${gateway.address}/reference${path}`;

async function text(path: string): Promise<string> {
  const response = await fetch(at(path));
  expect(response.status, path).toBe(200);
  return response.text();
}

describe("the pages of the reference", () => {
  it("every link in the reference leads to an existing page, file or section", async () => {
    const seen = new Set<string>();
    const places = new Set<string>();
    const wanted = new Set<string>();
    const open = [new URL(at("")).href];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [address = ""] = next.split("#");
      if (seen.has(address)) continue;
      seen.add(address);
      const response = await fetch(address);
      expect(response.status, address).toBe(200);
      const content = await response.text();
      const mediaType = response.headers.get("content-type") ?? "";
      // Search engines show this description in their results.
      if (/html/.test(mediaType))
        expect(content, address).toMatch(/<meta name="description" content="\p{Lu}[^"]+">/u);
      for (const [, id] of content.matchAll(/ id="([^"]+)"/g)) places.add(`${address}#${id}`);
      if (!/html|markdown|llms/.test(mediaType + address)) continue;
      for (const [, html, markdown] of content.matchAll(
        /(?<![-\w])(?:href|src)="([^"]+)"|\]\(((?:http|[\w-]+\.md)[^)]*)\)/g,
      )) {
        const { href } = new URL(html ?? markdown ?? "", address);
        open.push(href);
        // Markdown files have no ids for links.
        if (/#(?!$)/.test(href) && !href.includes(".md#")) wanted.add(href);
      }
    }
    expect([...wanted].filter((place) => !places.has(place))).toEqual([]);
    // The reference has a page for every code, and files of the five providers.
    expect(seen.size).toBeGreaterThan(70);
    for (const address of seen) expect(new URL(address).origin).toBe(new URL(at("")).origin);
  });

  it("a page of the reference may load from and call only the gateway, and no other page can frame this page", async () => {
    const paths = ["", "/errors", "/providers/provider-d", "/openapi.json", "/assets/page.js"];
    for (const path of paths) {
      const { headers } = await fetch(at(path));
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*|script-src[^;]*unsafe-inline/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  it("the reference has a page for every code, and a problem's `type` leads to the page", async () => {
    const refused = await fetch(`${gateway.address}/hellas/auto/brands`);
    const { type } = Object(await refused.json());
    const page = await fetch(new URL(type, gateway.address));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<code>UNAUTHENTICATED</code>");
    for (const code of Object.keys(problemCodes)) {
      const explained = await text(`/errors/${code}`);
      expect(explained).toContain("Did the insurer act?");
      expect(explained).toContain("What to do next");
    }
  });

  it("the reference compresses a page, and answers 304 if the page has not changed", async () => {
    const first = await fetch(at("/providers/provider-d/openapi.json"));
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("content-encoding")).toBe("gzip");
    expect(first.headers.get("cache-control")).toBe("public, no-cache");
    const again = await fetch(at("/providers/provider-d/openapi.json"), {
      headers: { "if-none-match": `"another", ${etag}` },
    });
    expect(again.status).toBe(304);
    const plain = await fetch(at("/providers/provider-d/openapi.json"), {
      headers: { "accept-encoding": "identity" },
    });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.json()).toEqual(await first.json());
  });

  it.each([
    ["/errors", {}, 200, "text/html; charset=utf-8", "accept-encoding"],
    [
      "/nothing",
      { accept: "text/html" },
      404,
      "text/html; charset=utf-8",
      "accept, accept-encoding",
    ],
    ["/openapi.json", {}, 200, "application/json; charset=utf-8", "accept-encoding"],
  ])(
    "the reference sends the expected headers for browsers and caches with %s",
    async (path, more, status, type, vary) => {
      const response = await fetch(at(path), { headers: { ...more, "accept-encoding": "gzip" } });
      const { headers } = response;
      const named = [...headers].filter(([name]) => !/^(connection|date|keep-alive)$/.test(name));
      expect([response.status, Object.fromEntries(named)]).toEqual([
        status,
        {
          "cache-control": "public, no-cache",
          "content-encoding": "gzip",
          "content-length": expect.any(String),
          "content-security-policy": expect.stringContaining("default-src 'none'"),
          "content-type": type,
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          etag: expect.stringMatching(/^W\/"[\w-]{27}"$/),
          "referrer-policy": "no-referrer",
          vary,
          "x-content-type-options": "nosniff",
          "x-request-id": expect.any(String),
        },
      ]);
      const again = await fetch(at(path), {
        headers: { ...more, "if-none-match": headers.get("etag") ?? "" },
      });
      expect(again.status, "only an existing page can be unchanged").toBe(
        status === 200 ? 304 : 404,
      );
    },
  );

  it("the reference answers HEAD like GET without content", async () => {
    const raw = await sendRaw(
      gateway.address,
      "HEAD /insurance/reference HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    expect(raw).toMatch(/^HTTP\/1\.1 200 /);
    expect(raw.endsWith("\r\n\r\n")).toBe(true);
  });

  it("the reference answers 404 for a missing page and 405 to other methods, and needs no token", async () => {
    expect((await fetch(at("/nothing"))).status).toBe(404);
    const upwards = await sendRaw(
      gateway.address,
      "GET /insurance/reference/assets/../../package.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    expect(upwards).toMatch(/^HTTP\/1\.1 40[04] /);
    const written = await fetch(at(""), { method: "POST" });
    expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await fetch(`${gateway.address}/referenceless`)).status).toBe(401);
  });

  it("the reference answers a browser's request for a missing page with a page that links to the start", async () => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const lost = await fetch(at("/providers/provider-dd"), { headers: { accept } });
    expect([lost.status, lost.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    const page = await lost.text();
    expect(page).toContain("<h1>No such page</h1>");
    expect(page).toContain('href="/insurance/reference"');
    const program = await fetch(at("/providers/provider-dd"));
    expect(await program.json()).toMatchObject({ status: 404, code: "NOT_FOUND" });
    const posted = await fetch(at("/nothing"), { method: "POST", headers: { accept } });
    expect(await posted.json()).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });

  it.each([
    ["", "text/html", 302, "/insurance/reference"],
    ["/", "text/html", 302, "/insurance/reference"],
    ["/docs", "text/html", 302, "/insurance/reference"],
    ["/llms.txt", "*/*", 302, "/insurance/reference/llms.txt"],
    ["/favicon.ico", "image/*", 302, "/insurance/reference/assets/icon.svg"],
    ["/nothing", "text/html", 404, null],
    ["/nothing", "*/*", 401, null],
    ["/", "*/*", 401, null],
    ["/hellas/auto/brands", "text/html", 401, null],
    ["/hellas//brands", "text/html", 401, null],
  ])(
    "the gateway answers a request without a token for %j (Accept: %s) with %i and the location %s",
    async (path, accept, status, to) => {
      const asked = await fetch(gateway.address + path, {
        headers: { accept },
        redirect: "manual",
      });
      expect([asked.status, asked.headers.get("location")]).toEqual([status, to]);
      const type = status === 401 ? /problem\+json/ : /html/;
      if (status !== 302) expect(asked.headers.get("content-type")).toMatch(type);
    },
  );

  it("the gateway answers a browser's request for a missing page with a problem if the request has a token", async () => {
    const asked = await gateway.ask("/nothing", { headers: { accept: "text/html" } });
    expect([asked.status, Object(await asked.json()).code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("the documents of the reference", () => {
  it("the reference's documents contain the configured segments and the gateway's address in all places", async () => {
    const document = JSON.parse(await text("/providers/hellas/openapi.json"));
    expect(Object.keys(document.paths)).toEqual(["/hellas/auto/brands"]);
    expect(document.servers[0].url).toBe(gateway.address);
    const page = await text("/providers/hellas/listBrands");
    expect(page).toContain(`${gateway.address}/hellas/auto/brands`);
    expect(page).toContain("&quot;provider-a&quot;: &quot;hellas&quot;");
    const postman = await text("/providers/hellas/postman.json");
    expect(postman).toContain("{{baseUrl}}/hellas/auto/brands");
    expect(postman).not.toContain("{{baseUrl}}/provider-a");
    expect(await text("/providers/hellas/listBrands.md")).toContain(
      `GET ${gateway.address}/hellas/auto/brands`,
    );
    const llms = await text("/llms.txt");
    expect(llms).toContain(`${gateway.address}/reference/providers/hellas/`);
    const listed = ["gateway/readSubmission.md", "guides/submissions.md", "errors/OUTCOME_UNKNOWN"];
    for (const path of listed) expect(llms).toContain(`(${gateway.address}/reference/${path}`);
  });

  it("the reference's OpenAPI documents and their index contain exactly the gateway's routes", async () => {
    const index = JSON.parse(await text("/openapi.json"));
    const listed = Object.keys(index.paths).toSorted();
    expect(listed).toEqual([
      "/hellas/auto/brands",
      "/provider-b/countries",
      "/provider-c/application/ipid",
      "/provider-c/vehicle/usages",
      "/provider-d/applications",
      "/provider-d/applications/search",
      "/provider-e/life/core/fast-pension-quote",
      "/providers",
      "/providers/{segment}/status",
      "/sandbox/scenarios",
      "/submissions",
      "/submissions/{submissionId}",
    ]);
    const found: readonly { kind: string; exact: readonly string[] }[] = JSON.parse(
      await text("/search.json"),
    );
    const searched = found.flatMap(({ exact, kind }) => (kind === "Endpoint" ? [exact[0]] : []));
    expect(new Set(searched)).toEqual(new Set(listed));
    expect(found).toContainEqual(
      expect.objectContaining({
        href: "/insurance/reference/providers/hellas/listBrands",
        exact: ["/hellas/auto/brands", "GET /hellas/auto/brands"],
      }),
    );
    for (const path of listed) {
      const live = await gateway.ask(path, { method: "DELETE" });
      // The status 405 shows that the route exists. The header `Allow` must have the methods in the document.
      expect(live.status).toBe(405);
      const [file = "", pointer = ""] = index.paths[path].$ref.split("#");
      const document = await (await fetch(new URL(file, gateway.address))).json();
      const key = decodeURI(pointer).split("/").at(-1)?.replaceAll("~1", "/").replaceAll("~0", "~");
      const methods = Object.keys(Object(document).paths[key ?? ""]).join(", ");
      expect(live.headers.get("allow")?.toLowerCase()).toBe(methods);
    }
  });

  it("the reference's texts for AI agents have one line for each meaning of a problem, with condition and scenario", async () => {
    const page = await text("/providers/provider-d/createApplication.md");
    expect(page.length).toBeLessThan(14_000);
    for (const part of ["`holder.afm`", "Ελένη Παπαδοπούλου"]) expect(page).toContain(part);
    const [, problems = ""] = page.split("## Problems\n\n");
    const usual = `[\`OUTCOME_UNKNOWN\`](${at("/errors/OUTCOME_UNKNOWN.md")}): unknown, retry same_key. Scenario \``;
    expect(problems).toContain(usual);
    expect(problems).toMatch(/^- 504 `OUTCOME_UNKNOWN`: unknown, retry \w+\. [A-Z`].+\.$/m);
    for (const line of problems.trim().split("\n"))
      expect(line).toMatch(/^- \d{3} (\[`[A-Z_]+`\]\(.+\)|`[A-Z_]+`): \w+, retry \w+\.( .+\.)?$/);
  });
});

describe("a gateway without a reference", () => {
  it("a gateway whose reference is switched off answers 401 at the addresses of the reference", async () => {
    const [a] = sandboxConfiguration.providers;
    const silent = await startInProcess({ reference: { served: false }, providers: [a] });
    const headers = { accept: "text/html" };
    const statuses = await Promise.all(
      ["/reference", "/", "/favicon.ico"].map(
        async (path) => (await fetch(silent.address + path, { headers })).status,
      ),
    );
    await silent.stop();
    expect(statuses).toEqual([401, 401, 401]);
  });
});
