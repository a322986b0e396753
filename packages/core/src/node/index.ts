export { fileKeyStore } from "./file-key-store.ts";
export { saveTo } from "./save-to.ts";
export { tokenFile } from "./token-file.ts";
