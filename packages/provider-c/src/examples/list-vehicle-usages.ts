import type { Examples } from "@insurance-gateway/core/contract";
import type { listVehicleUsages } from "../endpoints/index.ts";

export const listVehicleUsagesExamples: Examples<typeof listVehicleUsages> = {
  allUsages: {
    summary: "The vehicle usages, by code; three of them shown",
    request: {},
    response: {
      items: [
        {
          code: "00",
          name: "Private car",
          nameEl: "Επιβατηγό ιδιωτικής χρήσης (ΕΙΧ)",
          category: "PRIVATE",
        },
        {
          code: "10",
          name: "Taxi",
          nameEl: "Επιβατηγό δημόσιας χρήσης (ΕΔΧ ταξί)",
          category: "TAXI",
        },
        {
          code: "40",
          name: "Motorcycle",
          nameEl: "Μοτοσυκλέτα ιδιωτικής χρήσης",
          category: "MOTORCYCLE",
        },
      ],
    },
  },
};
