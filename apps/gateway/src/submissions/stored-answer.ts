import { isJson } from "@insurance-gateway/core/runtime";
import { problemOf } from "../problems/problem.ts";
import type { Refusal } from "../problems/refusal.ts";
import type { Encryption } from "../store/encryption.ts";

/** An answer as it is stored, to be replayed byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  /** The code and outcome of a problem, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/**
 * Encrypts an answer for the store, bound to its submission. The content follows the rest as it is: as a value of the JSON, it
 * would be escaped, and longer.
 */
export function encryptAnswer(
  encryption: Encryption,
  id: string,
  { content, ...head }: StoredAnswer,
): Uint8Array {
  return encryption.encrypt(Buffer.from(`${JSON.stringify(head)}\n${content}`), `answer ${id}`);
}

/** Decrypts a stored answer. */
export function decryptAnswer(
  encryption: Encryption,
  id: string,
  encrypted: Uint8Array,
  keyId: string,
): StoredAnswer {
  const text = Buffer.from(encryption.decrypt(encrypted, keyId, `answer ${id}`)).toString("utf8");
  const end = text.indexOf("\n");
  // What can be decrypted was encrypted by this gateway, above. A line break in the JSON would be escaped.
  const head = JSON.parse(text.slice(0, end)) as Omit<StoredAnswer, "content">;
  return { ...head, content: text.slice(end + 1) };
}

/** An insurer's answer as it is stored and given: with the address of the submission. */
export function successAnswer(
  answer: { readonly status: number; readonly content: string },
  headers: Readonly<Record<string, string>>,
  location: string,
): StoredAnswer {
  return { status: answer.status, headers: { ...headers, location }, content: answer.content };
}

/** A problem as an answer that can be stored. */
export function problemAnswer(
  refusal: Refusal,
  { provider, requestId }: { readonly provider: string; readonly requestId: string },
  basePath: string,
): StoredAnswer {
  const problem = problemOf(refusal, { requestId, basePath, provider });
  const location = refusal.details.headers?.location;
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      ...proxyStatusOf(refusal),
      ...(location === undefined ? {} : { location }),
    },
    content: JSON.stringify(problem),
    problem: { code: problem.code, outcome: problem.outcome },
  };
}

/** The body of a stored answer: a value, or the text of one that is not JSON; null for one without a body. */
export function bodyIn({ content, headers }: StoredAnswer): unknown {
  if (content === "") return null;
  return isJson((headers["content-type"] ?? "").split(";")[0] ?? "")
    ? JSON.parse(content)
    : content;
}

/** The header `proxy-status` of a refusal; none for one without it. */
export function proxyStatusOf(observed: Refusal | undefined): Readonly<Record<string, string>> {
  const value = observed?.details.headers?.["proxy-status"];
  return value === undefined ? {} : { "proxy-status": value };
}
