export {
  loadAdapter,
  loadProviderPackage,
  type ProviderPackage,
  resolvePackageFile,
} from "./provider-package.ts";
