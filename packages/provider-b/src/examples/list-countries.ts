import type { Examples } from "@insurance-gateway/core/contract";
import type { listCountries } from "../endpoints/index.ts";

export const listCountriesExamples: Examples<typeof listCountries> = {
  allCountries: {
    summary: "All countries by English name; this example has one country of each zone",
    request: {},
    response: {
      items: [
        {
          code: "CY",
          alpha3: "CYP",
          name: "Cyprus",
          nameEl: "Κύπρος",
          zone: "EUROPE",
          schengen: false,
        },
        {
          code: "GR",
          alpha3: "GRC",
          name: "Greece",
          nameEl: "Ελλάδα",
          zone: "GREECE",
          schengen: true,
        },
        {
          code: "US",
          alpha3: "USA",
          name: "United States",
          nameEl: "Ηνωμένες Πολιτείες",
          zone: "WORLDWIDE",
          schengen: false,
        },
      ],
    },
  },
};
