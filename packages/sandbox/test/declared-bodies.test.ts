import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import {
  defineProvider,
  type FilePart,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { count, file, loose, strict, text, zodSchema } from "@insurance-gateway/core/schema";
import { expect, it } from "vitest";
import { serveSandbox } from "./harness/served-sandbox.ts";

interface Claim {
  readonly name: string;
  readonly count: number;
}
interface Photo {
  readonly name: string;
  readonly photo: FilePart;
}
const claim = strict<Claim>({ name: text(), count: count() });
const photo = strict<Photo>({ name: text(), photo: file({ mediaTypes: ["image/png"] }) });

const createClaim: Submission<{ body: Claim | Photo | string | FilePart; response: object }> =
  submission({
    provider: "provider-m",
    path: "/claims",
    idempotency: "none",
    body: {
      media: {
        "application/json": claim,
        "application/x-www-form-urlencoded": claim,
        "multipart/form-data": photo,
        "text/plain": zodSchema(text()),
        "application/pdf": zodSchema(file()),
      },
    },
    response: { 201: loose<object>({}) },
  });
const provider = defineProvider({
  id: "provider-m",
  name: "M",
  lines: ["motor"],
  endpoints: { createClaim },
});

const received: unknown[] = [];
const sandbox: AnySandbox = defineSandbox<typeof provider>({
  provider,
  seed: [],
  scenarios: [],
  handlers: {
    createClaim({ input }) {
      received.push(input.body);
      return { status: 201, body: {} };
    },
  },
});

const address = await serveSandbox(sandbox);

function send(body: NonNullable<RequestInit["body"]> | null, type?: string): Promise<Response> {
  return fetch(`${address}/provider-m/claims`, {
    method: "POST",
    headers: type === undefined ? {} : { "content-type": type },
    body,
  });
}

const png = new File([new Uint8Array([1, 2, 3])], "photo.png", { type: "image/png" });

function multipart(): FormData {
  const form = new FormData();
  form.append("name", "Ελένη");
  form.append("photo", png);
  return form;
}

it.each<[string, NonNullable<RequestInit["body"]>, string | undefined, unknown]>([
  ["JSON", '{"name":"Ελένη","count":2}', "application/json", { name: "Ελένη", count: 2 }],
  [
    "a form",
    new URLSearchParams({ name: "Ελένη", count: "2" }),
    undefined,
    { name: "Ελένη", count: 2 },
  ],
  ["a text", "Ελένη", "text/plain; charset=utf-8", "Ελένη"],
  [
    "a file",
    Buffer.from("%PDF-1.7"),
    "application/pdf",
    { mediaType: "application/pdf", content: new Uint8Array(Buffer.from("%PDF-1.7")) },
  ],
  [
    "a form with files",
    multipart(),
    undefined,
    {
      name: "Ελένη",
      photo: { name: "photo.png", mediaType: "image/png", content: new Uint8Array([1, 2, 3]) },
    },
  ],
])("a simulated insurer with the declared contract reads %s", async (_, body, type, expected) => {
  expect((await send(body, type)).status).toBe(201);
  expect(received.at(-1)).toEqual(expected);
});

it.each<[string, string | null, string | undefined, number]>([
  ["incomplete JSON", '{"name":', "application/json", 400],
  ["a body that breaks the declaration", '{"name":"Ελένη"}', "application/json", 400],
  ["a multipart form without parts", "name=Ελένη", "multipart/form-data; boundary=x", 400],
  ["another media type", "<a/>", "application/xml", 415],
  ["an empty body", null, undefined, 400],
])("a simulated insurer with the declared contract refuses %s", async (_, body, type, status) => {
  const answer = await send(body, type);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
});
