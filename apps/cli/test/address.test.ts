import { describe, expect, it } from "vitest";
import { isOwnAddress, isUnencryptedRemote } from "../src/address.ts";

const listen = { host: "gateway.example", port: 8443, tls: undefined };

describe("the address of a gateway", () => {
  it.each([
    ["http://localhost:9", true, false],
    ["http://127.0.0.1:9", true, false],
    ["http://127.9:9", true, false],
    ["http://[::1]:9", true, false],
    ["http://gateway.example:8443", true, true],
    ["http://gateway.example:8444", false, true],
    ["https://gateway.example:8443", false, false],
    ["http://localhost.example", false, true],
    ["http://127.0.0.1.example", false, true],
    ["http://0.0.0.0:8443", false, true],
  ])(
    "the command line recognises an address of this machine or the configured gateway, and an unencrypted address of another machine: %s, own %s, unencrypted %s",
    (address, own, clear) => {
      const url = new URL(address);
      expect([isOwnAddress(url, { listen }), isUnencryptedRemote(url)]).toEqual([own, clear]);
    },
  );

  it("an address without a port counts as an address with the default port of http or https", () => {
    const standard = { ...listen, port: 80 };
    expect(isOwnAddress(new URL("http://gateway.example"), { listen: standard })).toBe(true);
  });
});
