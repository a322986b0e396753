import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { SitePage } from "@insurance-gateway/reference";
import { describe, expect, it } from "vitest";
import { createRepresentations } from "../../src/reference/pages.ts";

const page = (mediaType: string, content: SitePage["content"]): SitePage => ({
  mediaType,
  contentSecurityPolicy: "",
  content,
});

describe("the representation of a page", () => {
  it.each([
    ["text/html; charset=utf-8", 1_025, true],
    ["text/html; charset=utf-8", 1_024, false],
    ["application/json", 5_000, true],
    ["image/svg+xml", 5_000, true],
    ["application/zip", 5_000, false],
    ["image/png", 5_000, false],
  ])(
    "the reference compresses a page with the media type %s and %i bytes: %j",
    async (mediaType, bytes, expected) => {
      const text = "x".repeat(bytes);
      const { content, etag, isCompressed } = await createRepresentations()(
        "/a",
        page(mediaType, () => text),
      );
      expect(isCompressed).toBe(expected);
      expect((isCompressed ? gunzipSync(content) : content).toString()).toBe(text);
      const digest = createHash("sha256").update(text).digest("base64url").slice(0, 27);
      expect(etag).toBe(`"${digest}"`);
    },
  );

  it("the content of a reference page is created only once for each path, except after an error", async () => {
    const represent = createRepresentations();
    let made = 0;
    const content = async (): Promise<string> => {
      made += 1;
      if (made === 1) throw new Error("EMFILE");
      return String(made);
    };
    await expect(represent("/a", page("text/plain", content))).rejects.toThrow("EMFILE");
    expect((await represent("/a", page("text/plain", content))).content.toString()).toBe("2");
    expect((await represent("/a", page("text/plain", content))).content.toString()).toBe("2");
    expect((await represent("/b", page("text/plain", content))).content.toString()).toBe("3");
  });
});
