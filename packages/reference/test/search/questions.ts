/** The words that a user types, and the pages below `/reference` that answer the question. */
export type Question = readonly [typed: string, ...right: readonly string[]];

const createApplication = "/providers/provider-d/createApplication";
const searchApplications = "/providers/provider-d/searchApplications";
const pensionQuote = "/providers/provider-e/calculatePensionQuote";
const brands = "/providers/provider-a/listBrands";
const countries = "/providers/provider-b/listCountries";
const usages = "/providers/provider-c/listVehicleUsages";
const ipid = "/providers/provider-c/downloadIpid";

/** The test questions, written before the search was built. Some have typos, no accents, or Greek in Latin letters. */
export const questions: readonly Question[] = [
  ["plate", createApplication],
  ["afm", createApplication, searchApplications],
  ["ΑΦΜ", createApplication, searchApplications],
  ["χώρες", countries],
  ["αυτοκίνητο", "/providers/provider-d", createApplication],
  ["submit", createApplication, "/guides/submissions"],
  ["OUTCOME_UNKNOWN", "/errors/OUTCOME_UNKNOWN"],
  ["DECLINED", "/sandbox"],
  ["429", "/errors/RATE_LIMITED", "/errors/TOO_MANY"],
  ["personDob", pensionQuote],
  ["/provider-a/auto/brands", brands],
  ["POST /provider-d/applications", createApplication],
  ["listbrands", brands],
  ["brnads", brands],
  ["μαρκες", brands],
  ["countires", countries],
  ["xores", countries],
  ["idempotency key", createApplication, "/guides/submissions", "/outcomes"],
  ["lost answer", "/sandbox", "/lost-answer"],
  ["duplicate aplication", "/errors/DUPLICATE_APPLICATION"],
  ["401", "/errors/UNAUTHENTICATED"],
  ["timeout", "/errors/PROVIDER_TIMEOUT", "/sandbox"],
  ["rate limit", "/errors/RATE_LIMITED", "/limits"],
  ["ipid", ipid],
  ["σύνταξη", pensionQuote],
  ["pension qoute", pensionQuote],
  ["πινακίδα", createApplication],
  ["αριθμος κυκλοφοριας", createApplication],
  ["ασφάλιστρα", createApplication],
  ["ημερομηνία γέννησης", pensionQuote],
  ["vehicle usage", usages],
  ["χρησεις οχηματων", usages],
  ["outcme unkown", "/errors/OUTCOME_UNKNOWN"],
  ["validation failed", "/errors/VALIDATION_FAILED"],
  ["broker limit", "/errors/BROKER_LIMIT_EXCEEDED", "/sandbox"],
  ["postman", "/collections"],
  ["configuration file", "/guides/configuration"],
  ["backup", "/guides/backup"],
  ["client in python", "/guides/clients"],
  ["state of a submission", "/gateway/readSubmission", "/guides/submissions"],
];
