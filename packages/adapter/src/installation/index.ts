export {
  loadAdapter,
  loadProviderPackage,
  type ProviderPackage,
  resolvePackageFile,
} from "./provider-package.ts";
export { type RouteData, routeDataOf } from "./route-data.ts";
