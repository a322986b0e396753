export {
  loadProviderPackage,
  type ProviderPackage,
  resolvePackageFile,
} from "./provider-package.ts";
