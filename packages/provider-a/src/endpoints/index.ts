export { listBrands } from "./list-brands.ts";
