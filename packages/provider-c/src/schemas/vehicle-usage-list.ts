import type { Schema } from "@insurance-gateway/core/contract";
import { list, loose, zod } from "@insurance-gateway/core/schema";
import { type VehicleUsage, vehicleUsage } from "./vehicle-usage.ts";

/** The vehicle usages that the insurer covers. Source: `docs/decisions.md`, "Answers". */
export interface VehicleUsageList {
  /**
   * All usages, sorted by code.
   * @el Χρήσεις οχημάτων
   */
  items: VehicleUsage[];
}

export const vehicleUsageList: Schema<VehicleUsageList> = loose<VehicleUsageList>({
  items: list(zod(vehicleUsage)),
});
