/** The documents of the providers, for commands that print them or ask for input. */
export { catalogueOf } from "../reference/catalogue.ts";
export {
  type EndpointReference,
  readReference,
  referenceOf,
} from "../reference/endpoint-reference.ts";
