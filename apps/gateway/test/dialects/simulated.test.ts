import { type AnySandbox, simulated } from "@insurance-gateway/adapter/sandbox";
import type { CheckedInput, Endpoint } from "@insurance-gateway/core/contract";
import { createSandboxServer, openRecords } from "@insurance-gateway/sandbox";
import { conformanceFaults } from "@insurance-gateway/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { Refusal } from "../../src/problems/refusal.ts";
import {
  adapter,
  endpoints,
  examples,
  type Policy,
  providerY,
  sandbox,
} from "./imported-package.ts";
import { speakTo } from "./speaking.ts";

const id = "provider-y";
const now = new Date("2026-11-21T08:00:00Z");

type Call = (
  endpoint: Endpoint,
  input?: Partial<CheckedInput>,
) => Promise<UpstreamAnswer | Refusal>;

/** Makes the server of a simulation, until the end of the test. */
function serverOf(simulation: AnySandbox): ReturnType<typeof createSandboxServer> {
  const records = openRecords(":memory:");
  const server = createSandboxServer({ sandboxes: [simulation], records, clock: () => now });
  onTestFinished(async () => {
    await server.close();
    records.close();
  });
  return server;
}

/** Serves the simulation over real HTTP, and speaks to it with the package's adapter. */
async function served(): Promise<Call> {
  const address = await serverOf(sandbox).listen({ host: "127.0.0.1", port: 0 });
  const speaking = speakTo(`${address}/${id}`, adapter, undefined, { tenant: "acme" });
  onTestFinished(() => speaking.close());
  return (endpoint, input) => speaking.call(endpoint, input);
}

/** The JSON of an answer. */
function contentOf(answer: UpstreamAnswer | Refusal): unknown {
  return JSON.parse("content" in answer ? String(answer.content) : "null");
}

const body = { holder: { name: "Γιώργος", email: "g@example.com" }, premium: 10.01, agent: "1" };

describe("a simulation that is made from declarations and examples alone", () => {
  it("conforms, together with the adapter", async () => {
    const gone = { endpoint: "readPolicy", status: 404, body: "{}" } as const;
    const refusals = [{ ...gone, code: "RESOURCE_NOT_FOUND" } as const];
    expect(
      await conformanceFaults({ id, provider: providerY, examples, sandbox, adapter, refusals }),
    ).toEqual([]);
  });

  it("conforms without a dialect", async () => {
    const plain = simulated(providerY, examples, { settings: { tenant: "acme" } });
    expect(await conformanceFaults({ id, provider: providerY, examples, sandbox: plain })).toEqual(
      [],
    );
  });

  it("answers with the example of the same resource", async () => {
    const call = await served();
    const large = await call(endpoints.readPolicy, { params: { policyId: "9007199254740993" } });
    expect(contentOf(large)).toMatchObject({ policyId: "9007199254740993", premium: 66.66 });
    const small = await call(endpoints.readPolicy, { params: { policyId: "12" } });
    expect(contentOf(small)).toMatchObject({ policyId: "12", premium: 120 });
  });

  it("answers another resource with the requested identifier", async () => {
    const call = await served();
    const answer = await call(endpoints.readPolicy, {
      params: { policyId: "9223372036854775807" },
    });
    expect(contentOf(answer)).toMatchObject({ policyId: "9223372036854775807" });
  });

  it("stores a submission, which reads and searches find", async () => {
    const call = await served();
    const created = contentOf(await call(endpoints.createPolicy, { body }));
    expect(created).toEqual({ policyId: "14", holder: { name: "Γιώργος" }, premium: 10.01 });
    expect(contentOf(await call(endpoints.readPolicy, { params: { policyId: "14" } }))).toEqual(
      created,
    );
    const page = contentOf(await call(endpoints.findPolicies, { query: { page: 0, size: 2 } }));
    expect(page).toMatchObject({ content: [created, {}], totalElements: 4, number: 0 });
  });

  it("gives each submission an identifier of its own, and a repeated one the same answer", async () => {
    const call = await served();
    const one = contentOf(await call(endpoints.createPolicy, { body }));
    // The same name of ours: the insurer recognises it.
    expect(contentOf(await call(endpoints.createPolicy, { body }))).toEqual(one);
    const page = contentOf(await call(endpoints.findPolicies, { query: { page: 0, size: 50 } }));
    expect(page).toMatchObject({ totalElements: 4 });
  });

  it("changes and removes what is stored", async () => {
    const call = await served();
    const params = { policyId: "14" };
    await call(endpoints.createPolicy, { body });
    await call(endpoints.changePolicy, { params, body: { ...body, premium: 20 } });
    expect(contentOf(await call(endpoints.readPolicy, { params }))).toMatchObject({ premium: 20 });
    expect(await call(endpoints.cancelPolicy, { params })).toMatchObject({ status: 204 });
    const removed = { code: "RESOURCE_NOT_FOUND" };
    expect(await call(endpoints.readPolicy, { params })).toMatchObject(removed);
    expect(await call(endpoints.changePolicy, { params, body })).toMatchObject(removed);
    const page = contentOf(await call(endpoints.findPolicies, { query: { page: 0, size: 50 } }));
    expect(page).toMatchObject({ totalElements: 3 });
  });

  it("pages by numbers", async () => {
    const call = await served();
    const numbers = async (page: number): Promise<readonly string[]> => {
      // The schema of the page was checked.
      const { content } = contentOf(
        await call(endpoints.findPolicies, { query: { page, size: 2 } }),
      ) as { readonly content: readonly Policy[] };
      return content.map(({ policyId }) => policyId);
    };
    expect([await numbers(0), await numbers(1), await numbers(2)]).toEqual([
      ["9007199254740993", "12"],
      ["13"],
      [],
    ]);
  });

  it("pages by cursors, and names no page after the last", async () => {
    const call = await served();
    const first = contentOf(await call(endpoints.followPolicies, { query: { size: 2 } }));
    expect(first).toMatchObject({ data: [{}, {}], next: "2" });
    const last = contentOf(
      await call(endpoints.followPolicies, { query: { size: 2, cursor: "2" } }),
    );
    expect(last).toMatchObject({ data: [{ policyId: "13" }] });
    expect(last).not.toHaveProperty("next");
  });

  it("pages by links in the insurer's own names", async () => {
    const call = await served();
    const first = await call(endpoints.listPolicies, { query: { q: "a b" } });
    expect(first).toMatchObject({ headers: { "next-cursor": "2" } });
    const last = await call(endpoints.listPolicies, { query: { q: "a b", after: "2" } });
    expect(contentOf(last)).toMatchObject([{ policyId: "13" }]);
    expect(last).not.toHaveProperty("headers.next-cursor");
  });

  it("answers with documents of the declared types, and with text", async () => {
    const call = await served();
    const params = { policyId: "12" };
    const bytesOf = async (endpoint: Endpoint): Promise<Buffer> => {
      const answer = await call(endpoint, { params });
      const content = "content" in answer ? answer.content : "";
      if (typeof content === "string") throw new TypeError("There is no document");
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    const document = (await bytesOf(endpoints.downloadPolicy)).toString("latin1");
    expect(document).toMatch(/^%PDF-[\s\S]*%%EOF\n$/);
    // The place that the end names is that of the table.
    expect(document.indexOf("xref")).toBe(Number(/startxref\n(\d+)/.exec(document)?.[1]));
    expect((await bytesOf(endpoints.downloadCard)).subarray(1, 4).toString()).toBe("PNG");
    const notes = await call(endpoints.readNotes, { params });
    expect(notes).toMatchObject({ content: "Two notes" });
  });

  it("speaks as the insurer does: its paths, names, cookies and 64-bit numbers", async () => {
    const server = serverOf(sandbox);
    const policy = await server.inject({ url: `/${id}/v2/acme/policy/9007199254740993` });
    expect(policy.body).toContain('"policyId":9007199254740993,');
    const covers = { url: `/${id}/covers?code=A|B` };
    const cookie = "JSESSIONID=s-1";
    expect((await server.inject({ ...covers, headers: { cookie } })).statusCode).toBe(200);
    expect((await server.inject(covers)).json()).toMatchObject({
      errors: [{ pointer: "/headers/session", code: "REQUIRED" }],
    });
    const odd = await server.inject({ url: `/${id}/covers?code=A|b`, headers: { cookie } });
    expect(odd.json()).toMatchObject({ errors: [{ pointer: "/query/codes/1" }] });
  });

  it("answers without a dialect in the declared contract", async () => {
    const plain = simulated(providerY, examples, { settings: { tenant: "acme" } });
    const server = serverOf(plain);
    const policy = await server.inject({ url: `/${id}/policies/12` });
    expect(policy.json()).toMatchObject({ policyId: "12" });
    const card = await server.inject({ url: `/${id}/policies/12/card` });
    expect(card.headers["content-type"]).toBe("image/png");
    const notes = await server.inject({ url: `/${id}/policies/12/notes` });
    expect([notes.headers["content-type"], notes.body]).toEqual([
      "text/plain; charset=utf-8",
      "Two notes",
    ]);
  });

  it("needs an example of every endpoint", () => {
    const { readPolicy: _, ...others } = examples;
    expect(() => simulated(providerY, others)).toThrow("provider-y has no example of readPolicy");
  });
});
