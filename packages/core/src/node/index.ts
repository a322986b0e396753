export { fileKeyStore } from "./file-key-store.ts";
