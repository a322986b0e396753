import type { Customer } from "./customer.ts";
import type { InsuranceResults } from "./insure-customer.ts";

/** Formats an amount in euros in the Greek notation. */
const formatEuros = (amount: string): string =>
  new Intl.NumberFormat("el-GR", { style: "currency", currency: "EUR" }).format(Number(amount));

/** Returns a summary of the results for the broker. */
export function summarise(customer: Customer, insured: InsuranceResults): string {
  const { application, applications, brandCount, ipidFile, pension } = insured;
  const scenarios = pension.scenarios.map(
    ({ annualReturnPercent, capitalAtMaturity, monthlyPension, name }) =>
      `    ${name.padEnd(13)} ${annualReturnPercent.padStart(5)} %  ${formatEuros(capitalAtMaturity).padStart(14)}  ${formatEuros(monthlyPension).padStart(12)} a month`,
  );
  return [
    "",
    `  ${customer.fullName}, ${customer.car.make} ${customer.car.model}, ${customer.car.plate}`,
    "",
    `  Makes known to Provider A     ${brandCount}`,
    `  Application to Provider D     ${describeApplication(application)}`,
    `  Applications of this customer ${applications.length}`,
    `  Product information (IPID)    ${ipidFile}`,
    `  Pension from Provider E       ${formatEuros(pension.monthlyContribution)} a month for ${pension.durationYears} years, ${formatEuros(pension.totalContributions)} in all`,
    ...scenarios,
    "",
    "",
  ].join("\n");
}

/** Describes a submitted insurance application, which the insurer may have declined. */
function describeApplication(application: InsuranceResults["application"]): string {
  if (application.outcome !== "succeeded") return application.outcome;
  const { applicationId, policy, status } = application.data;
  return status === "DECLINED"
    ? `${applicationId}, declined by the insurer`
    : `${applicationId}, ${status}, cover from ${policy.startDate} to ${policy.endDate}`;
}
