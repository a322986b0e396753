import { expect, it } from "vitest";
import { defineProvider, type FilePart, type Schema } from "../../src/contract/index.ts";
import { providerFaults } from "../../src/runtime.ts";
import { file } from "../../src/schema/index.ts";
import { calculatePremium, listBrands } from "../harness/declarations.ts";

const picture: Schema<FilePart> = file();
const LOOKUPS_ONLY = "`freshFor` must only be set for a lookup: a quote is never cached";
const SECONDS = "`freshFor` must be a whole number of seconds from 1 to 2592000";

it.each([
  ["a lookup with 1 second", { ...listBrands, freshFor: 1 }, null],
  ["a lookup with 30 days", { ...listBrands, freshFor: 2_592_000 }, null],
  ["a lookup with more than 30 days", { ...listBrands, freshFor: 2_592_001 }, SECONDS],
  ["a lookup with 0 seconds", { ...listBrands, freshFor: 0 }, SECONDS],
  ["a lookup with 1.5 seconds", { ...listBrands, freshFor: 1.5 }, SECONDS],
  [
    "a lookup that may answer with an image",
    {
      ...listBrands,
      freshFor: 60,
      response: {
        200: { media: { "application/json": listBrands.response[200], "image/png": picture } },
      },
    },
    "`freshFor` must only be set for answers of JSON or text: image/png is a file",
  ],
  ["a quote with 60 seconds", { ...calculatePremium, freshFor: 60 }, LOOKUPS_ONLY],
])(
  "the declaration check accepts `freshFor` only for lookups, with 1 second to 30 days: %s",
  (_, endpoint, fault) => {
    const provider = { id: "provider-m", name: "Provider M", lines: ["motor"] } as const;
    const faults = providerFaults(defineProvider({ ...provider, endpoints: { one: endpoint } }));
    if (fault === null) expect(faults).toEqual([]);
    else expect(faults).toEqual([expect.stringContaining(fault)]);
  },
);
