export { downloadIpidExamples as downloadIpid } from "./download-ipid.ts";
export { listVehicleUsagesExamples as listVehicleUsages } from "./list-vehicle-usages.ts";
