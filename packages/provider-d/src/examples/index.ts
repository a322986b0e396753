export { createApplicationExamples as createApplication } from "./create-application.ts";
export { searchApplicationsExamples as searchApplications } from "./search-applications.ts";
