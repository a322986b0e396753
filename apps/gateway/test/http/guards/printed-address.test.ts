import { expect, it } from "vitest";
import { addressOf } from "../../../src/http/server.ts";

it.each([
  ["0.0.0.0", "https://127.0.0.1:8080"],
  ["::", "https://[::1]:8080"],
  ["::1", "https://[::1]:8080"],
  ["192.0.2.1", "https://192.0.2.1:8080"],
])(
  "the gateway prints an address that a client on the same machine can use: %s becomes %s",
  (address, printed) => {
    expect(addressOf({ address, port: 8_080 }, "https")).toBe(printed);
  },
);
