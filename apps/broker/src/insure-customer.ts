import { join } from "node:path";
import type { Gateway, KeyStore, SubmissionResult } from "@insurance-gateway/core";
import { saveTo } from "@insurance-gateway/core/node";
import { providerA } from "@insurance-gateway/provider-a";
import { downloadIpid } from "@insurance-gateway/provider-c";
import {
  type Application,
  createApplication,
  type MotorApplication,
  providerD,
} from "@insurance-gateway/provider-d";
import { type PensionQuote, providerE } from "@insurance-gateway/provider-e";
import type { Customer } from "./customer.ts";

/** The results of all calls for one customer. */
export interface InsuranceResults {
  readonly brandCount: number;
  readonly application: SubmissionResult<Application>;
  /** All insurance applications of the customer, newest first. */
  readonly applications: readonly Application[];
  /** The path of the product information document. */
  readonly ipidFile: string;
  readonly pension: PensionQuote;
}

/** Applies for motor insurance, downloads the product information and requests a pension quote. */
export async function insureCustomer(
  gateway: Gateway,
  customer: Customer,
  { folder, store }: { readonly folder: string; readonly store: KeyStore },
): Promise<InsuranceResults> {
  const providerAClient = gateway.provider(providerA);
  const providerDClient = gateway.provider(providerD);
  const providerEClient = gateway.provider(providerE);

  const { items: brands } = await providerAClient.listBrands();
  const brand = brands.find(({ name }) => name === customer.car.make);
  if (brand === undefined)
    throw new Error(`Provider A does not know the make ${customer.car.make}`);

  // The case number is the idempotency key: if the program runs again, the insurer still has only one application.
  const application = await gateway.submit(createApplication, {
    body: applicationBody(customer, brand.code),
    key: customer.caseNumber,
    store,
  });

  const applications: Application[] = [];
  for await (const found of providerDClient.searchApplications({
    query: { clientAfm: customer.afm },
  }))
    applications.push(found);

  const ipidFile = join(folder, "ipid.pdf");
  const ipid = await gateway.call(downloadIpid, { query: { applicationId: "C-0001" } });
  await saveTo(ipid, ipidFile);

  const pension = await providerEClient.calculatePensionQuote({
    body: { personDob: customer.birthDate, monthlyContribution: 100, durationYears: 20 },
  });

  return { brandCount: brands.length, application, applications, ipidFile, pension };
}

/** Returns the body of a motor insurance application for one year of cover. */
function applicationBody(
  { afm, car, coverFrom, fullName }: Customer,
  manufacturerCode: string,
): MotorApplication {
  const end = new Date(coverFrom);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return {
    policy: { startDate: coverFrom, endDate: end.toISOString().slice(0, 10) },
    vehicle: { plateNumber: car.plate, manufacturerCode, modelCode: car.model },
    holder: { afm, fullName },
  };
}
