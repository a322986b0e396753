import { expect, it } from "vitest";
import { callerOf } from "../../src/callers/authenticate.ts";
import { issuerOf } from "./direct.ts";
import { makeKeyPair } from "./signing.ts";

it("a client whose id equals another caller's subject is a different caller", () => {
  const issuer = issuerOf([makeKeyPair("rsa", { kid: "one" })]);
  const person = callerOf({ sub: "portal" }, issuer);
  const client = callerOf({ client_id: "portal" }, issuer);
  expect(client.subject).not.toBe(person.subject);
  expect(callerOf({ sub: "portal", client_id: "other" }, issuer)).toEqual(person);
});
