export { listBrandsHandler as listBrands } from "./list-brands.ts";
