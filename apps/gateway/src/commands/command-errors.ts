/** The errors that end a command with a code of its own: the configuration, or the store, cannot be used. */
export { ConfigurationError } from "../configuration/configuration-error.ts";
export { StoreRefusedError } from "../store/faults.ts";
