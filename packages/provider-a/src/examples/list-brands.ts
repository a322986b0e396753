import type { Examples } from "@insurance-gateway/core/contract";
import type { listBrands } from "../endpoints/index.ts";

export const listBrandsExamples: Examples<typeof listBrands> = {
  allBrands: {
    summary: "The vehicle brands, by name; three of them shown",
    request: {},
    response: {
      items: [
        { code: "FIA", name: "Fiat" },
        { code: "OPE", name: "Opel" },
        { code: "TOY", name: "Toyota" },
      ],
    },
  },
};
