import { createHash } from "node:crypto";
import type { SitePage } from "@insurance-gateway/reference";
import { compress } from "../http/compression.ts";

/** A page as it is sent: made once, and kept. */
export interface Representation {
  readonly plain: Buffer;
  /** Null where compressing does not pay. */
  readonly compressed: Buffer | null;
  /** A strong validator of the plain content (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Gives pages as they are sent; each is made when it is asked for first. */
export function createRepresentations(): (path: string, page: SitePage) => Promise<Representation> {
  const made = new Map<string, Promise<Representation>>();
  return (path, page) => {
    const known = made.get(path);
    if (known !== undefined) return known;
    const begun = represent(page);
    made.set(path, begun);
    // What could not be made is tried again when it is asked for again.
    begun.catch(() => made.delete(path));
    return begun;
  };
}

async function represent({ content, mediaType }: SitePage): Promise<Representation> {
  const plain = Buffer.from(await content());
  const isText = /^(text\/|application\/json|image\/svg)/.test(mediaType);
  return {
    plain,
    compressed: isText ? await compress(plain) : null,
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 27)}"`,
  };
}
