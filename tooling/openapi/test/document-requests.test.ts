import { documentRequestTests } from "./harness/document-requests.ts";

documentRequestTests(50);
