import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import type { Page, PageQuery, Schema, Search, Submission } from "@insurance-gateway/core/contract";
import { defineProvider, search, submission } from "@insurance-gateway/core/contract";
import { loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRecords, type RecordStore } from "../src/records.ts";
import { createSandboxServer } from "../src/server.ts";

interface Note {
  words: string;
}
interface NoteSearch extends PageQuery {
  words: string;
}
const note: Schema<Note> = strict<Note>({ words: text() });
const keptNote: Schema<Note> = loose<Note>({ words: text() });
const noteSearch: Schema<NoteSearch> = strict<NoteSearch>({ words: text(), ...pageQuery() });
const createNote: Submission<{ body: Note; response: Note }> = submission({
  provider: "notes",
  path: "/notes",
  body: note,
  response: { 201: keptNote },
});
const findNotes: Search<{ query: NoteSearch; item: Note }> = search({
  provider: "notes",
  path: "/notes/search",
  query: noteSearch,
  item: keptNote,
});
const provider = defineProvider({
  id: "notes",
  name: "Notes",
  lines: ["motor"],
  endpoints: { createNote, findNotes },
});

const sandbox: AnySandbox = defineSandbox<typeof provider, { id: string; words: string }>({
  provider,
  seed: [{ id: "0", words: "first" }],
  scenarios: [
    { name: "SILENT", endpoint: "createNote", effect: "kept, and no answer" },
    {
      name: "REFUSED",
      endpoint: "createNote",
      effect: "refused",
      when: { pointer: "/body/words", equals: "bad" },
    },
  ],
  handlers: {
    createNote: ({ input, scenario }, records, clock) => {
      const { words } = input.body;
      const keep = [{ id: `${records.length} at ${clock().toISOString()}`, words }];
      if (scenario === "SILENT") return { status: 201, silence: true, keep };
      if (scenario === "REFUSED")
        return { status: 422, problem: { code: "PROVIDER_REJECTED", detail: "No." } };
      return { status: 201, body: { words }, keep };
    },
    findNotes: ({ input }, records) => {
      const items = records.filter(({ words }) => words === input.query.words);
      const body: Page<Note> = { items, start: 1, limit: 20, total: items.length };
      return { status: 200, body };
    },
  },
});

let folder: string;
let records: RecordStore;
let server: FastifyInstance;
let address: string;

async function start(): Promise<void> {
  records = openRecords(join(folder, "records.sqlite"));
  const clock = (): Date => new Date("2026-11-21T08:00:00Z");
  server = createSandboxServer({ sandboxes: [sandbox], records, clock });
  address = await server.listen({ host: "127.0.0.1", port: 0 });
}
async function stop(): Promise<void> {
  await server.close();
  records.close();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sandbox-"));
  await start();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

function create(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${address}/notes/notes`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
}
async function find(words: string): Promise<unknown> {
  return (await fetch(`${address}/notes/notes/search?words=${words}`)).json();
}

describe("a simulated insurer over HTTP", () => {
  it("a simulated insurer starts with the initial records that its sandbox declares", async () => {
    expect(await find("first")).toMatchObject({ total: 1 });
  });

  it("a simulated insurer has the same records after a restart", async () => {
    expect((await create({ words: "kept" })).status).toBe(201);
    await stop();
    await start();
    expect(await find("kept")).toMatchObject({
      items: [{ id: "1 at 2026-11-21T08:00:00.000Z", words: "kept" }],
    });
    expect(await find("first")).toMatchObject({ total: 1 });
  });

  it("a simulated insurer refuses a request that breaks the declaration", async () => {
    const response = await create({ words: "", more: 1 });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
    expect(await response.json()).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/words" }, { pointer: "/more" }],
    });
  });

  it("a simulated insurer answers as a scenario declares if the request contains the scenario's test value", async () => {
    expect((await create({ words: "bad" })).status).toBe(422);
    expect(await find("bad")).toMatchObject({ total: 0 });
  });

  it("a simulated insurer stores a submission and never answers if the header selects the scenario SILENT", async () => {
    const caller = new AbortController();
    const answer = fetch(`${address}/notes/notes`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-sandbox-scenario": "SILENT" },
      body: JSON.stringify({ words: "lost" }),
      signal: caller.signal,
    });
    await expect.poll(() => find("lost")).toMatchObject({ total: 1 });
    caller.abort();
    await expect(answer).rejects.toThrow();
  });

  it("a simulated insurer names its scenarios if the header selects an unknown scenario", async () => {
    const response = await create({ words: "x" }, { "x-sandbox-scenario": "NONSENSE" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining("SILENT, REFUSED"),
    });
  });

  it("the records file of a simulated insurer cannot be opened a second time while the file is in use", () => {
    expect(() => openRecords(join(folder, "records.sqlite"), 50)).toThrow(/locked/);
  });
});
