export { fileKeyStore } from "./file-key-store.ts";
export { tokenFile } from "./token-file.ts";
