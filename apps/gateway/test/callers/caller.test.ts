import { expect, it } from "vitest";
import { callerOf } from "../../src/callers/authenticate.ts";
import { makeKeyPair } from "../harness/signing.ts";
import { issuerOf } from "./direct.ts";

it("a token whose `client_id` equals the `sub` of another token belongs to a different caller", () => {
  const issuer = issuerOf([makeKeyPair("rsa", { kid: "one" })]);
  const person = callerOf({ sub: "portal" }, issuer);
  const client = callerOf({ client_id: "portal" }, issuer);
  expect(client.subject).not.toBe(person.subject);
  expect(callerOf({ sub: "portal", client_id: "other" }, issuer)).toEqual(person);
});
