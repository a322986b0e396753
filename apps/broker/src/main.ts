import { join } from "node:path";
import { createGateway, explain, GatewayError } from "@insurance-gateway/core";
import { fileKeyStore } from "@insurance-gateway/core/node";
import { insureCustomer } from "./insure-customer.ts";
import { summarise } from "./summarise.ts";

/** The customer of this example; the AFM is invented. */
const customer = {
  caseNumber: process.env.BROKER_CASE ?? "2026-0117",
  afm: "123456789",
  fullName: "Ελένη Παπαδοπούλου",
  birthDate: "1985-06-15",
  coverFrom: "2026-12-01",
  car: { plate: "ΙΚΥ-1234", make: "Toyota", model: "YARIS" },
};

const token = process.env.GATEWAY_TOKEN;
if (token === undefined || token === "") {
  process.stderr.write(
    "Set GATEWAY_TOKEN. With the gateway running: GATEWAY_TOKEN=$(npm run --silent token) npx pnpm --filter @insurance-gateway/broker start\n",
  );
  process.exit(2);
}

const gateway = createGateway({
  baseUrl: process.env.GATEWAY_URL ?? "http://127.0.0.1:8080",
  token,
});
const folder = process.env.BROKER_FOLDER ?? ".";
const store = fileKeyStore(join(folder, "submission-keys"));
try {
  const insured = await insureCustomer(gateway, customer, { folder, store });
  process.stdout.write(summarise(customer, insured));
  const { application } = insured;
  if (application.outcome !== "succeeded") {
    process.stderr.write(`${explain(application).text}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  if (!GatewayError.isInstance(error)) throw error;
  process.stderr.write(`${explain(error).text}\n`);
  process.exitCode = 1;
} finally {
  await gateway.close();
}
