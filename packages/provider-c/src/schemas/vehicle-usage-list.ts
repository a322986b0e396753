import type { Schema } from "@insurance-gateway/core/contract";
import { loose, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { type VehicleUsage, vehicleUsage } from "./vehicle-usage.ts";

/** The uses the insurer covers. Source: `docs/decisions.md`, "Answers". */
export interface VehicleUsageList {
  /** All of them, by code. */
  items: VehicleUsage[];
}

export const vehicleUsageList: Schema<VehicleUsageList> = loose<VehicleUsageList>({
  items: z.array(zod(vehicleUsage)),
});
