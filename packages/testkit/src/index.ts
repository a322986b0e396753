export { type ConformanceSubject, conformanceFaults } from "./conformance.ts";
