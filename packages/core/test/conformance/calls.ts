import {
  type Download,
  type Gateway,
  GatewayError,
  type GatewayOptions,
} from "@insurance-gateway/core";
import {
  type Document,
  document,
  type FilePart,
  type Lookup,
  lookup,
  pdf,
  type Quote,
  quote,
  type Schema,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import { file, integer, loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";

// Calls of the conformance suite, which runs with every transport. This module imports only what an application can
// import, so it also runs without a test runner on each runtime.

interface Case {
  case: string;
}

interface Answer {
  text: string;
}

interface Item {
  id: number;
}

interface Upload {
  note: string;
  photo: FilePart;
}

const params: Schema<Case> = strict<Case>({ case: text() });
const answer: Schema<Answer> = loose<Answer>({ text: text() });
const provider = "provider-m";

const readCase: Lookup<{ params: Case; response: Answer }> = lookup({
  provider,
  path: "/lookup/{case}",
  params,
  response: { 200: answer },
});

const calculate: Quote<{ body: Answer; response: Answer }> = quote({
  provider,
  path: "/quote",
  body: strict<Answer>({ text: text() }),
  response: { 200: answer },
});

const upload: Submission<{ body: Upload; response: Answer }> = submission({
  provider,
  path: "/upload",
  body: { media: { "multipart/form-data": strict<Upload>({ note: text(), photo: file() }) } },
  response: { 201: answer },
});

const create: Submission<{ params: Case; body: Answer; response: Answer }> = submission({
  provider,
  path: "/submit/{case}",
  params,
  body: strict<Answer>({ text: text() }),
  response: { 201: answer },
});

const download: Document<{ params: Case }> = document({
  provider,
  path: "/document/{case}",
  params,
  files: [pdf],
});

interface Numbers {
  start?: number;
  limit?: number;
}

const list: Search<{ query: Numbers; item: Item }> = search({
  provider,
  path: "/items",
  query: strict<Numbers>(pageQuery()),
  item: loose<Item>({ id: integer() }),
});

type CreateGateway = (options: GatewayOptions) => Gateway;

/** Addresses of the calls. */
export interface Addresses {
  /** Address of the server in `server.ts`. */
  readonly server: string;
  /** Address at which no server listens. */
  readonly nobody: string;
}

/**
 * Makes all calls at the same time. Returns each result as a text: the value, or the error's name, code, outcome and
 * advice.
 */
export async function makeCalls(
  createGateway: CreateGateway,
  addresses: Addresses,
): Promise<Readonly<Record<string, string>>> {
  const connect = (baseUrl: string): Gateway =>
    createGateway({ baseUrl, token: "token-1", timeout: 20_000 });
  const gateway = connect(addresses.server);
  const nobody = connect(addresses.nobody);
  const closed = connect(addresses.server);
  await closed.close();
  const body = { text: "Ελένη" };
  const read = (name: string, timeout?: number): Promise<Answer> =>
    gateway.call(readCase, { params: { case: name }, timeout });
  const submit = (name: string): Promise<Answer> =>
    gateway.call(create, { params: { case: name }, body, idempotencyKey: `key-${name}` });
  const fetchFile = (name: string): Promise<Download> =>
    gateway.call(download, { params: { case: name } });

  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "an answer": () => read("plain"),
    "a compressed answer": () => read("gzip"),
    "an answer in pieces": () => read("pieces"),
    "an answer after a problem that advises a retry": () => read("busy"),
    "a redirect": () => read("redirect"),
    "a page of HTML": () => read("html"),
    "an answer that is too large": () => read("large"),
    "an answer that is not UTF-8": () => read("latin"),
    "a connection that breaks": () => read("reset"),
    "a connection that breaks in the answer": () => read("cut"),
    "no answer in time": () => read("silent", 1_000),
    "half an answer in time": () => read("half", 1_000),
    "a call that is cancelled during the answer": async () => {
      const cancellation = new AbortController();
      const { signal } = cancellation;
      const half = await gateway.call(download, { params: { case: "half" }, signal });
      cancellation.abort();
      return half.bytes();
    },
    "nobody listens": () => nobody.call(readCase, { params: { case: "plain" } }),
    "a closed client": () => closed.call(readCase, { params: { case: "plain" } }),
    "a quote": () => gateway.call(calculate, { body }),
    "a submission": () => submit("created"),
    "a refused submission": () => submit("refused"),
    "a submission whose connection breaks": () => submit("reset"),
    "a submission whose connection breaks in the answer": () => submit("cut"),
    "a submission where nobody listens": () =>
      nobody.call(create, { params: { case: "created" }, body }),
    "a submission with a closed client": () =>
      closed.call(create, { params: { case: "created" }, body }),
    "a submission by its key": async () => {
      const input = { params: { case: "created" }, body, key: "case-1" };
      const { key, outcome } = await gateway.submit(create, input);
      return { key, outcome };
    },
    "an upload of bytes": () => uploadOf(gateway, new Uint8Array(100_000)),
    "an upload of a stream": () => uploadOf(gateway, stream(2, 50_000)),
    "a document": async () => (await (await fetchFile("pdf")).bytes()).byteLength,
    "a document as a stream": async () => {
      let size = 0;
      for await (const chunk of (await fetchFile("pdf")).stream()) size += chunk.byteLength;
      return size;
    },
    "a document that breaks": async () => (await fetchFile("cut")).bytes(),
    "a discarded document": async () => (await fetchFile("pdf")).discard(),
    "a search": async () => {
      const ids: number[] = [];
      for await (const { id } of gateway.call(list, { query: { limit: 2 } })) ids.push(id);
      return ids;
    },
  };

  // This call loads the transport before the calls with a short time limit.
  await read("plain");
  const results = await Promise.all(
    Object.entries(calls).map(async ([name, call]) => [name, await inWords(call)] as const),
  );
  await Promise.all([gateway.close(), nobody.close()]);
  return Object.fromEntries(results);
}

function uploadOf(gateway: Gateway, content: FilePart["content"]): Promise<Answer> {
  const photo = { name: "damage.jpg", mediaType: "image/jpeg", content };
  return gateway.call(upload, { body: { note: "front", photo } });
}

async function* stream(count: number, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield new Uint8Array(size);
}

async function inWords(call: () => Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call())}`;
  } catch (error) {
    if (!GatewayError.isInstance(error)) return `threw ${String(error)}`;
    return `${error.name} ${error.code} ${error.outcome} ${error.retry}`;
  }
}
