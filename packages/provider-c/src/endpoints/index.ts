export { downloadIpid } from "./download-ipid.ts";
export { listVehicleUsages } from "./list-vehicle-usages.ts";
