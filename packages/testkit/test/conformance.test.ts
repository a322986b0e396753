import { declared } from "@insurance-gateway/adapter";
import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import {
  defineProvider,
  type Endpoint,
  type FilePart,
  type Lookup,
  lookup,
  type Schema,
  submission,
} from "@insurance-gateway/core/contract";
import { file, loose, strict, text, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { conformanceFaults } from "../src/index.ts";

interface Query {
  make: string;
}
interface Models {
  items: string[];
}
const query: Schema<Query> = strict<Query>({ make: text() });
const models: Schema<Models> = loose<Models>({ items: z.array(z.string()) });
const listModels: Lookup<{ query: Query; response: Models }> = lookup({
  provider: "provider-m",
  path: "/models",
  query,
  response: { 200: models },
});

const provider = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  endpoints: { listModels },
});
const sandbox: AnySandbox = defineSandbox<typeof provider>({
  provider,
  seed: [],
  scenarios: [],
  handlers: { listModels: ({ input }) => ({ status: 200, body: { items: [input.query.make] } }) },
});
const examples = {
  listModels: {
    toyota: {
      summary: "Of Toyota",
      request: { query: { make: "TOY" } },
      response: { items: ["YARIS"] },
    },
  },
};
const subject = { id: "provider-m", provider, examples, sandbox };

/** Returns the subject with another handler. */
function answering(handler: AnySandbox["handlers"][string]): typeof subject {
  return { ...subject, sandbox: { ...sandbox, handlers: { listModels: handler } } };
}

/** Returns the provider with another declaration of the endpoint. */
function declaring(endpoint: Endpoint): object {
  return { ...provider, endpoints: { listModels: endpoint } };
}

/** Returns the endpoint with a body and a reconciliation with these parameters and match fields. */
function lookedUp(
  parameters: Readonly<Record<string, { from: string }>>,
  same: readonly string[] = [],
): Endpoint {
  const lookup = { endpoint: "listModels", parameters, createdAt: "/createdAt" };
  return { ...listModels, body: query, insurerId: "/modelId", reconcile: lookup, same };
}

/** A submission without the property `idempotency`, although the compiler requires this property. */
const { idempotency: _, ...withoutIdempotency } = submission<{ query: Query; response: Models }>({
  provider: "provider-m",
  path: "/models",
  query,
  response: { 200: models },
  idempotency: "none",
});

describe("the conformance check", () => {
  it("the conformance check finds no fault in a correct provider", async () => {
    expect(await conformanceFaults(subject)).toEqual([]);
  });

  it("the conformance check refuses an adapter with a `failures` row that could match a proxy's answer", async () => {
    const row = { status: 403, code: "NOT_ALLOWED", outcome: "rejected", why: "A guess." } as const;
    const adapter = { ...declared, failures: [row] };
    const faults = await conformanceFaults({ ...subject, adapter });
    expect(faults).toEqual([expect.stringMatching(/^the adapter: `failures` row 1: 403 needs/)]);
  });

  it("the conformance check accepts a form with a file", async () => {
    const media = { "multipart/form-data": strict<{ photo: FilePart }>({ photo: file() }) };
    const { query: _, ...others } = listModels;
    const upload: Endpoint = { ...others, kind: "read", method: "POST", body: { media } };
    const photo: FilePart = { name: "a.png", mediaType: "image/png", content: new Uint8Array([1]) };
    const sent = { summary: "A photo", request: { body: { photo } }, response: { items: [] } };
    const faults = await conformanceFaults({
      ...answering(() => ({ status: 200, body: { items: [] } })),
      provider: { ...provider, endpoints: { listModels: upload } },
      examples: { listModels: { sent } },
    });
    expect(faults).toEqual([]);
  });

  const identity = z.transform((value) => value);
  const broken: Readonly<Record<string, readonly [object, string]>> = {
    "an id that differs from the folder's name": [
      { id: "provider-n" },
      "the provider's id is provider-m, and its folder provider-n",
    ],
    "a lookup with a setting of submissions": [
      { provider: declaring({ ...listModels, idempotency: "none" }) },
      "listModels: only a submission has `idempotency`",
    ],
    "an endpoint without an example": [{ examples: {} }, "listModels has no example"],
    "an example of an unknown endpoint": [
      { examples: { ...examples, listMakes: {} } },
      "listMakes is not an endpoint; remove its example",
    ],
    "an endpoint without a sandbox handler": [
      { sandbox: { ...sandbox, handlers: {} } },
      "listModels has no sandbox handler",
    ],
    "an example without a request": [
      { examples: { listModels: { bad: { summary: "", response: { items: [] } } } } },
      "listModels, bad: has no `request`; an example of a call without input has `request: {}`",
    ],
    "an example whose request does not match the schema": [
      { examples: { listModels: { bad: { summary: "", request: { query: {} } } } } },
      "listModels, bad: its request: /query/make is required",
    ],
    "an example whose response does not match the schema": [
      { examples: { listModels: { bad: { ...examples.listModels.toyota, response: {} } } } },
      "listModels, bad: its response: /items is required",
    ],
    "a sandbox that answers with an undeclared status": [
      answering(() => ({ status: 204, body: null })),
      "listModels, toyota: the sandbox answers with the undeclared status 204",
    ],
    "a sandbox whose answer does not match the schema": [
      answering(() => ({ status: 200, body: { items: [1] } })),
      "listModels, toyota: the sandbox's answer: /items/0 must be a string",
    ],
    "a schema that changes the values it reads": [
      {
        provider: declaring({
          ...listModels,
          response: {
            200: zodSchema(z.pipe(z.unknown(), identity)),
          },
        }),
      },
      "listModels: the schema of 200 must not change the values that it reads",
    ],
    "a path whose parameters differ from the `params` schema": [
      { provider: declaring({ ...listModels, path: "/models/{id}", params: query }) },
      "listModels: `params` must have the parameters of the path (id), not (make)",
    ],
    "a reconciliation with a parameter that the search does not have": [
      { provider: declaring(lookedUp({ afm: { from: "/make" } })) },
      "listModels: its reconciliation listModels has no parameter afm",
    ],
    "a reconciliation with a value that the body does not have": [
      { provider: declaring(lookedUp({ make: { from: "/holder/afm" } })) },
      "listModels: its body has no /holder/afm, which its reconciliation needs",
    ],
    "a reconciliation that compares a field missing in the body": [
      { provider: declaring(lookedUp({}, ["/plate"])) },
      "listModels: its body has no /plate, which its reconciliation needs",
    ],
    "a reconciliation that compares a field missing in the found items": [
      { provider: declaring(lookedUp({}, ["/make"])) },
      "listModels: an item of listModels has no /make, which its reconciliation needs",
    ],
    "a reconciliation whose found items have no creation time": [
      { provider: declaring(lookedUp({})) },
      "listModels: an item of listModels has no /createdAt, which its reconciliation needs",
    ],
    "an answer without the declared identifier": [
      { provider: declaring(lookedUp({})) },
      "listModels: its answer has no /modelId, which its reconciliation needs",
    ],
    "a reconciliation without a parameter that the search requires": [
      { provider: declaring(lookedUp({})) },
      "listModels: its reconciliation listModels needs make, and `parameters` has no value for it",
    ],
    "a submission without a declared idempotency": [
      { provider: declaring(withoutIdempotency) },
      "listModels: a submission must declare `idempotency`: the insurer's reaction to a repetition",
    ],
  };

  it.each(Object.entries(broken))(
    "the conformance check reports %s",
    async (_, [change, fault]) => {
      expect(await conformanceFaults({ ...subject, ...change })).toContain(fault);
    },
  );
});
