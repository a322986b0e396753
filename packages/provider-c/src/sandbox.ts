import {
  type AnySandbox,
  defineSandbox,
  type SandboxHandler,
} from "@insurance-gateway/core/sandbox";
import type { downloadIpid, listVehicleUsages } from "./endpoints/index.ts";
import { providerC } from "./provider.ts";
import { applications, type KeptApplication } from "./sandbox/application.ts";
import { dialect } from "./sandbox/dialect.ts";
import { ipidOf } from "./sandbox/ipid.ts";
import { scenarios } from "./sandbox/scenarios.ts";
import { vehicleUsages } from "./sandbox/vehicle-usages.ts";

const list: SandboxHandler<typeof listVehicleUsages, KeptApplication> = () => ({
  status: 200,
  body: { items: [...vehicleUsages] },
});

const download: SandboxHandler<typeof downloadIpid, KeptApplication> = (
  { input: { query }, scenario },
  records,
) => {
  if (scenario === "DOCUMENT_NOT_READY")
    return {
      status: 409,
      headers: { "retry-after": "5" },
      problem: { code: "DOCUMENT_NOT_READY", detail: "The insurer is still making the document." },
    };
  const found = records.find(({ id }) => id === query.applicationId);
  if (found === undefined)
    return {
      status: 404,
      problem: { code: "APPLICATION_NOT_FOUND", detail: "The insurer holds no such application." },
    };
  return { status: 200, document: ipidOf(found) };
};

/** The simulated insurer behind Provider C: it knows the vehicle usages and holds three applications with their documents. */
export const sandbox: AnySandbox = defineSandbox<typeof providerC, KeptApplication>({
  provider: providerC,
  seed: applications,
  scenarios,
  handlers: { listVehicleUsages: list, downloadIpid: download },
  dialect,
});
