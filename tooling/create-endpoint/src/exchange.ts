import * as z from "zod/mini";
import { Refusal } from "./operation.ts";

/**
 * A recorded request with its answer. Recorded headers are never read, because they contain credentials and cookies.
 */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** The decoded query parameters, in order. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The parsed JSON body; undefined without a body. */
  readonly body: unknown;
  /** The recorded answer; undefined if the recording has no answer. */
  readonly answer?: { readonly status: number; readonly body: unknown };
}

const har = z.object({
  log: z.object({
    entries: z.array(
      z.object({
        request: z.object({
          method: z.string(),
          url: z.string(),
          postData: z.optional(z.object({ text: z.optional(z.string()) })),
        }),
        response: z.object({
          status: z.number(),
          content: z.object({ text: z.optional(z.string()), encoding: z.optional(z.string()) }),
        }),
      }),
    ),
  }),
});

const postmanRequest = z.object({
  method: z.optional(z.string()),
  url: z.union([z.string(), z.object({ raw: z.string() })]),
  body: z.nullish(z.object({ mode: z.optional(z.string()), raw: z.optional(z.string()) })),
});

const postmanItem = z.object({
  request: postmanRequest,
  response: z.optional(
    z.array(
      z.object({
        originalRequest: z.optional(postmanRequest),
        code: z.optional(z.number()),
        body: z.nullish(z.string()),
      }),
    ),
  ),
});

const postmanCollection = z.object({ item: z.array(z.unknown()) });

/**
 * Reads the exchanges of a HAR file (1.2) or a Postman collection (2.1).
 * @throws Refusal if the file has neither of these formats, or if a body is not JSON
 */
export function readExchanges(file: string, text: string): readonly Exchange[] {
  const value = parsed(text, `${file} is not JSON`);
  const recording = z.safeParse(har, value);
  if (recording.success)
    return recording.data.log.entries.map(({ request, response }) =>
      exchangeOf(request.method, request.url, request.postData?.text, {
        status: response.status,
        text:
          response.content.encoding === "base64"
            ? Buffer.from(response.content.text ?? "", "base64").toString("utf8")
            : response.content.text,
      }),
    );
  const collection = z.safeParse(postmanCollection, value);
  if (collection.success) return collection.data.item.flatMap(exchangesOfItem);
  throw new Refusal(`${file} is neither a HAR file (1.2) nor a Postman collection (2.1).`);
}

/** Returns the exchanges of a Postman item: the items of a folder, or the saved answers of a request. */
function exchangesOfItem(item: unknown): readonly Exchange[] {
  const folder = z.safeParse(postmanCollection, item);
  if (folder.success) return folder.data.item.flatMap(exchangesOfItem);
  const { data } = z.safeParse(postmanItem, item);
  if (data === undefined) return [];
  const saved = data.response ?? [];
  if (saved.length === 0) return [exchangeOfPostman(data.request)];
  return saved.map(({ body, code = 200, originalRequest }) =>
    exchangeOfPostman(originalRequest ?? data.request, { status: code, text: body ?? undefined }),
  );
}

function exchangeOfPostman(
  { body, method = "GET", url }: z.infer<typeof postmanRequest>,
  answer?: Answered,
): Exchange {
  const raw = typeof url === "string" ? url : url.raw;
  // A variable at the start is the insurer's address, with or without scheme.
  const address = raw.replace(/^(?:\w+:\/\/)?\{\{[^}]*\}\}/, "http://insurer.example");
  const isRaw = (body?.mode ?? "raw") === "raw";
  return exchangeOf(method, address, isRaw ? body?.raw : undefined, answer);
}

interface Answered {
  readonly status: number;
  readonly text: string | undefined;
}

function exchangeOf(
  method: string,
  address: string,
  body: string | undefined,
  answer?: Answered,
): Exchange {
  const url = URL.parse(address);
  if (url === null)
    throw new Refusal(`"${address.split("?", 1)[0]}" is not the address of a request.`);
  const call = `${method} ${url.pathname}`;
  return {
    method: method.toUpperCase(),
    url: decoded(url.pathname),
    query: [...url.searchParams],
    body: jsonOf(body, `The body of ${call} is not JSON, and nothing else can be inferred`),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            status: answer.status,
            body:
              answer.status >= 200 && answer.status <= 299
                ? jsonOf(answer.text, `An answer to ${call} is not JSON`)
                : undefined,
          },
        }),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function jsonOf(text: string | undefined, words: string): unknown {
  return text === undefined || text.trim() === "" ? undefined : parsed(text, words);
}

function parsed(text: string, words: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(`${words}.`);
  }
}

/** An exchange of one endpoint, with the values of its path parameters. */
export interface MatchedExchange extends Exchange {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Selects the exchanges with this method and path. The recorded path may begin with a prefix of the insurer's address.
 * @throws Refusal if no exchange is successful or without an answer
 */
export function exchangesOf(
  exchanges: readonly Exchange[],
  {
    method,
    params,
    path,
  }: { readonly method: string; readonly path: string; readonly params: readonly string[] },
): readonly MatchedExchange[] {
  const pattern = new RegExp(
    `${path
      .split(/\{[^}]+\}/)
      .map((literal) => literal.replaceAll(".", "\\."))
      .join("([^/]+)")}$`,
  );
  const found = exchanges.flatMap((exchange) => {
    // A Postman path parameter is written as a name after a colon and has no recorded value.
    const values = exchange.method === method ? pattern.exec(exchange.url) : null;
    const { status = 200 } = exchange.answer ?? {};
    if (values === null || status < 200 || status > 299) return [];
    const named = params.map((name, index) => [name, values[index + 1] ?? ""] as const);
    return [{ ...exchange, params: Object.fromEntries(named) }];
  });
  if (found.length > 0) return found;
  const others = [...new Set(exchanges.map((each) => `${each.method} ${each.url}`))];
  throw new Refusal(
    `The recording has no successful ${method} ${path}. It has ${others.slice(0, 10).join(", ") || "no request"}.`,
  );
}
