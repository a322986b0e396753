export { downloadIpidHandler as downloadIpid } from "./download-ipid.ts";
export { listVehicleUsagesHandler as listVehicleUsages } from "./list-vehicle-usages.ts";
