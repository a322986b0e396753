export { listBrandsExamples as listBrands } from "./list-brands.ts";
