export { createApplication } from "./create-application.ts";
export { searchApplications } from "./search-applications.ts";
