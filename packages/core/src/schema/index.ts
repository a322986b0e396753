export { type FileRules, file } from "./file.ts";
export { afm, amount, count, date, decimal, instant, openEnum, text } from "./formats.ts";
export { loose, type Rule, type Shape, sealed, strict, zod } from "./object.ts";
export { page, pageQuery } from "./paging.ts";
export { joined } from "./parameters.ts";
