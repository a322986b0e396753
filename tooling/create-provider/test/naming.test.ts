import { describe, expect, it } from "vitest";
import { nameProvider, Refusal } from "../src/naming.ts";

describe("nameProvider", () => {
  it.each([
    ["provider-x", "providerX", "Provider X"],
    ["provider-24", "provider24", "Provider 24"],
    ["acme-life-greece", "acmeLifeGreece", "Acme Life Greece"],
    ["default", "defaultProvider", "Default"],
  ])("names %s", (id, constant, name) => {
    expect(nameProvider(id)).toEqual({ id, constant, name });
  });

  it("takes the name it is given, in any script", () => {
    const name = "Εθνική Ασφαλιστική (A.E.)";
    expect(nameProvider("provider-x", name)).toMatchObject({ name });
  });

  it.each([
    "",
    "Provider-X",
    "1-provider",
    "provider_x",
    "provider-",
    "a--b",
    "../a",
    "a".repeat(41),
  ])("nameProvider refuses the id %j and proposes a valid one", (id) => {
    expect(() => nameProvider(id)).toThrow(Refusal);
    expect(() => nameProvider(id)).toThrow(/lower-case letters.*: provider-x$/);
  });

  it.each(["reference", "submissions", "sandbox", "health"])(
    "refuses %s, which is a path of the gateway's own",
    (id) => {
      expect(() => nameProvider(id)).toThrow(`Use another id, such as provider-${id}.`);
    },
  );

  it.each(["", 'Say "X"', "X */ evil", "X\nY", "`X`", "{{id}}"])(
    "refuses the name %j, which would break a file",
    (name) => {
      expect(() => nameProvider("provider-x", name)).toThrow(/letters, digits, spaces/);
    },
  );
});
