import { once } from "node:events";
import { connect } from "node:net";
import { charsetWriter } from "@insurance-gateway/adapter";
import {
  type AnySandbox,
  defineSandbox,
  jsonAnswer,
  type RawRequest,
} from "@insurance-gateway/adapter/sandbox";
import { defineProvider } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { serveSandbox } from "./harness/served-sandbox.ts";

/** Requests that the dialect has read. */
const read: RawRequest[] = [];
const provider = defineProvider({ id: "raw", name: "Raw", lines: ["motor"], endpoints: {} });
const sandbox: AnySandbox = defineSandbox<typeof provider>({
  provider,
  seed: [],
  scenarios: [],
  handlers: {},
  dialect: {
    routes: [
      {
        method: "POST",
        path: "/claims/{claimId}",
        read(request) {
          read.push(request);
          return { answer: jsonAnswer(200, {}) };
        },
        write: () => jsonAnswer(200, {}),
      },
    ],
  },
});

const address = await serveSandbox(sandbox);

/** Sends a request to the path of a claim, and returns the request that the dialect read. */
async function readOf(
  body: NonNullable<RequestInit["body"]> | null,
  headers: Record<string, string> = {},
  search = "",
): Promise<RawRequest> {
  const response = await fetch(`${address}/raw/claims/C-1${search}`, {
    method: "POST",
    headers,
    body,
  });
  expect(response.status).toBe(200);
  const request = read.at(-1);
  if (request === undefined) throw new TypeError("The dialect read no request");
  return request;
}

describe("requests that a dialect reads over HTTP", () => {
  it("a dialect of the sandbox reads a form with repeated fields", async () => {
    const form = new URLSearchParams([
      ["name", "Ελένη"],
      ["name", "Μαρία"],
    ]);
    const { body, mediaType, params } = await readOf(form);
    expect(mediaType).toBe("application/x-www-form-urlencoded");
    expect(new URLSearchParams(body).getAll("name")).toEqual(["Ελένη", "Μαρία"]);
    expect(params).toEqual({ claimId: "C-1" });
  });

  it("a dialect of the sandbox reads a multipart form with a file byte for byte", async () => {
    const file = Uint8Array.from({ length: 2_000_000 }, (_, index) => index % 256);
    const form = new FormData();
    form.append("photo", new File([file], "damage.jpg", { type: "image/jpeg" }));
    const { bytes, headers, mediaType } = await readOf(form);
    expect(mediaType).toBe("multipart/form-data");
    const parts = await new Response(Uint8Array.from(bytes), {
      headers: { "content-type": headers["content-type"] ?? "" },
    }).formData();
    const photo = parts.get("photo");
    expect(photo).toBeInstanceOf(File);
    expect(Buffer.from(await new Response(photo).arrayBuffer()).equals(file)).toBe(true);
  });

  it("a dialect of the sandbox reads XML as a text", async () => {
    const xml = "<claim>Ελένη</claim>";
    const { body, mediaType } = await readOf(xml, { "content-type": "Text/XML; charset=utf-8" });
    expect({ body, mediaType }).toEqual({ body: xml, mediaType: "text/xml" });
  });

  it("a dialect of the sandbox reads a text in the charset of its Content-Type header", async () => {
    const bytes = Buffer.from(charsetWriter("iso-8859-7").write("Άρης"));
    const { body, bytes: arrived } = await readOf(bytes, {
      "content-type": 'text/plain; charset="ISO-8859-7"',
    });
    expect(body).toBe("Άρης");
    expect(bytes.equals(arrived)).toBe(true);
  });

  it("a dialect of the sandbox reads only the bytes of a text if the charset is unknown", async () => {
    const request = await readOf("abc", { "content-type": "text/plain; charset=x-unknown" });
    expect(request.body).toBe("");
    expect(Buffer.from(request.bytes).toString()).toBe("abc");
  });

  it("a dialect of the sandbox reads a request without a body, and every value of a repeated query parameter", async () => {
    const { body, bytes, mediaType, query } = await readOf(null, {}, "?tag=a&tag=b,c&page=1");
    expect({ body, length: bytes.byteLength, mediaType }).toEqual({
      body: "",
      length: 0,
      mediaType: "",
    });
    expect(query.getAll("tag")).toEqual(["a", "b,c"]);
    expect(query.get("page")).toBe("1");
  });
});

it("the sandbox closes the connection of a request whose body is not read", async () => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  socket.write("POST /unknown HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n");
  expect(String(await once(socket, "data"))).toMatch(
    /^HTTP\/1\.1 404 .*\r\nconnection: close\r\n/is,
  );
  await once(socket, "close");
});
