import { declaredHeaders } from "@insurance-gateway/core/runtime";
import { strict, text } from "@insurance-gateway/core/schema";
import { expect, it } from "vitest";
import * as z from "zod/mini";

const declared = {
  media: {},
  headers: strict<{ "x-id": string; "x-note"?: string }>({
    "x-id": text(),
    "x-note": z.exactOptional(text()),
  }),
};

it.each([
  [{ "x-id": "1" }, { "x-id": "1" }],
  [
    { "x-id": "1", "x-note": "n", etag: "2" },
    { "x-id": "1", "x-note": "n" },
  ],
  [{ "x-note": "n" }, null],
  [{}, null],
  // The gateway could not send this header to the caller as the insurer sent it.
  [{ "x-id": "é" }, null],
  [{ "x-id": "1", "x-note": " n" }, null],
])(
  "the gateway passes on the declared headers of an insurer's answer only if all these headers are valid: %j becomes %j",
  (answered, expected) => {
    expect(declaredHeaders(declared, answered)).toEqual(expected);
  },
);
