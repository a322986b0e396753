export { createApplicationHandler as createApplication } from "./create-application.ts";
export { searchApplicationsHandler as searchApplications } from "./search-applications.ts";
