import { describe, expect, it } from "vitest";
import { nameProvider, Refusal } from "../src/naming.ts";

describe("nameProvider", () => {
  it.each([
    ["provider-x", "providerX", "Provider X"],
    ["provider-24", "provider24", "Provider 24"],
    ["acme-life-greece", "acmeLifeGreece", "Acme Life Greece"],
    ["default", "defaultProvider", "Default"],
  ])("nameProvider derives a constant and a display name from an id: %s", (id, constant, name) => {
    expect(nameProvider(id)).toEqual({ id, constant, name });
  });

  it("nameProvider keeps a given display name, also in Greek script", () => {
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
  ])("nameProvider rejects an id that is not valid and proposes a valid id: %j", (id) => {
    expect(() => nameProvider(id)).toThrow(Refusal);
    expect(() => nameProvider(id)).toThrow(/lower-case letters.*: provider-x$/);
  });

  it.each(["reference", "submissions", "sandbox", "health"])(
    "nameProvider rejects an id that is a path of the gateway: %s",
    (id) => {
      expect(() => nameProvider(id)).toThrow(`Use another id, such as provider-${id}.`);
    },
  );

  it.each(["", 'Say "X"', "X */ evil", "X\nY", "`X`", "{{id}}"])(
    "nameProvider rejects a display name that would break a generated file: %j",
    (name) => {
      expect(() => nameProvider("provider-x", name)).toThrow(/letters, digits, spaces/);
    },
  );
});
