import { type Lookup, lookup } from "@insurance-gateway/core/contract";
import { type VehicleUsageList, vehicleUsageList } from "../schemas/vehicle-usage-list.ts";

/**
 * Lists the vehicle usages, by code. Source: specification, endpoint 3.
 * @el Κατάλογος χρήσεων οχημάτων
 */
export const listVehicleUsages: Lookup<{ response: VehicleUsageList }> = lookup({
  provider: "provider-c",
  path: "/vehicle/usages",
  freshFor: 604_800,
  response: { 200: vehicleUsageList },
});
