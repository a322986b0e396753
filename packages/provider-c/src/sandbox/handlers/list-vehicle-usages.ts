import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import type { listVehicleUsages } from "../../endpoints/index.ts";
import type { KeptApplication } from "../application.ts";
import { vehicleUsages } from "../vehicle-usages.ts";

export const listVehicleUsagesHandler: SandboxHandler<
  typeof listVehicleUsages,
  KeptApplication
> = () => ({
  status: 200,
  body: { items: [...vehicleUsages] },
});
