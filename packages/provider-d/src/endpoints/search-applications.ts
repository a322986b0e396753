import { type Search, search } from "@insurance-gateway/core/contract";
import { type Application, application } from "../schemas/application.ts";
import { type ApplicationSearch, applicationSearch } from "../schemas/application-search.ts";

/**
 * Finds a customer's applications, newest first. Source: specification, endpoint 6.
 * @el Αναζήτηση αιτήσεων πελάτη
 */
export const searchApplications: Search<{ query: ApplicationSearch; item: Application }> = search({
  provider: "provider-d",
  path: "/applications/search",
  query: applicationSearch,
  item: application,
  echoes: { clientAfm: "/holder/afm" },
});
