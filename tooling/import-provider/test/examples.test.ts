import { expect, it } from "vitest";
import { imported, object, taking } from "./sample.ts";

it("the generated example of a file body has the body's media type", () => {
  const content = { "application/cbor": { schema: { type: "string", format: "binary" } } };
  const { examples } = imported({
    "/a": { post: { requestBody: { required: true, content }, responses: { 204: {} } } },
  });
  expect([...examples.values()]).toMatchObject([
    { request: { body: { mediaType: "application/cbor" } } },
  ]);
});

it("the generated example of a text is valid for the text's format", () => {
  const formats = ["duration", "ipv6", "guid", "time"];
  const fields = formats.map((format) => [format, { type: "string", format }]);
  const { examples } = imported({ "/a": taking(object(Object.fromEntries(fields))) });
  const [example] = examples.values();
  expect(example?.request).toEqual({
    body: {
      duration: "P1D",
      ipv6: "2001:db8::1",
      guid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      time: "08:00:00Z",
    },
  });
});

it("the generated example of a text matches the text's pattern even if the imported package does not check the pattern", () => {
  const emails = { type: "string", pattern: "^\\S{1,100}@\\S{1,100}$" };
  const { examples, losses } = imported({ "/a": taking(object({ emails })) });
  expect(losses).toMatchObject([{ effect: expect.stringMatching(/pattern is not checked/) }]);
  expect(JSON.stringify([...examples.values()])).toMatch(/"emails":"[^"]+@[^"]+"/);
});
