export { afm, amount, count, date, decimal, instant, openEnum, text } from "./formats.ts";
export { loose, type Rule, type Shape, sealed, strict, zod } from "./object.ts";
export { page, pageQuery } from "./paging.ts";
