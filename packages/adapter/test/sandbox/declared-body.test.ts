import { type FilePart, type Submission, submission } from "@insurance-gateway/core/contract";
import { readDeclaredBody } from "@insurance-gateway/core/runtime";
import { count, file, loose, strict, text, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";

interface Claim {
  readonly name: string;
  readonly count: number;
}
interface Photo {
  readonly name: string;
  readonly photo: FilePart;
}
const claim = strict<Claim>({ name: text(), count: count() });

const createClaim: Submission<{ body: Claim | Photo | string | FilePart; response: object }> =
  submission({
    provider: "provider-m",
    path: "/claims",
    body: {
      media: {
        "application/json": claim,
        "application/x-www-form-urlencoded": claim,
        "multipart/form-data": strict<Photo>({ name: text(), photo: file() }),
        "text/plain": zodSchema(text()),
        "application/pdf": zodSchema(file()),
      },
    },
    response: { 201: loose<object>({}) },
  });

const bytesOf = (body: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(body);

describe("the body of a request to the sandbox", () => {
  it.each([
    ["application/json", '{"a":1}', { a: 1 }],
    ["application/x-www-form-urlencoded", "name=%CE%A9&count=2", { name: "Ω", count: 2 }],
    ["text/plain", "Ελένη", "Ελένη"],
    ["application/pdf", "%PDF-", { mediaType: "application/pdf", content: bytesOf("%PDF-") }],
    // The endpoint does not declare text/csv.
    ["text/csv", "a;b", "a;b"],
  ])(
    "the sandbox reads the body of a request by its media type: %s",
    async (mediaType, content, body) => {
      for (const type of [mediaType, ` ${mediaType.toUpperCase()} ;charset=utf-8`])
        expect(await readDeclaredBody(createClaim, type, bytesOf(content))).toEqual({
          mediaType,
          body,
        });
    },
  );

  it("the sandbox reads a multipart form with files", async () => {
    const form = new FormData();
    form.append("name", "Ελένη");
    form.append("photo", new File(["\u0001"], "photo.png", { type: "image/png" }));
    const sent = new Response(form);
    const type = sent.headers.get("content-type") ?? "";
    const bytes = new Uint8Array(await sent.arrayBuffer());
    expect(await readDeclaredBody(createClaim, type, bytes)).toEqual({
      mediaType: "multipart/form-data",
      body: {
        name: "Ελένη",
        photo: { name: "photo.png", mediaType: "image/png", content: new Uint8Array([1]) },
      },
    });
  });

  it("the sandbox reads the fields of a form as texts if the endpoint declares no body", async () => {
    const type = "application/x-www-form-urlencoded";
    expect(await readDeclaredBody({}, type, bytesOf("count=2"))).toEqual({
      mediaType: type,
      body: { count: "2" },
    });
  });

  it.each([
    ["application/json", '{"a":', SyntaxError],
    ["multipart/form-data; boundary=x", "a=b", TypeError],
  ])(
    "the sandbox throws an error if the body of a request does not match its media type: %s",
    async (type, content, error) => {
      await expect(readDeclaredBody(createClaim, type, bytesOf(content))).rejects.toThrow(error);
    },
  );

  it("the sandbox reads a body without a media type as bytes", async () => {
    expect(await readDeclaredBody(createClaim, "", bytesOf(""))).toEqual({
      mediaType: "",
      body: { mediaType: "", content: bytesOf("") },
    });
  });
});
