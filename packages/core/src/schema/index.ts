export {
  type Alternatives,
  alternativeChoice,
  anyOf,
  byValue,
  type ChooseAlternative,
  oneOf,
} from "./alternatives.ts";
export { joined, type ListRules, list, type MapRules, map } from "./composites.ts";
export { type FileRules, file } from "./file.ts";
export { afm, amount, count, date, decimal, instant, openEnum, text } from "./formats.ts";
export { loose, objectWith, type Rule, type Shape, strict, zod, zodSchema } from "./object.ts";
export { page, pageQuery } from "./paging.ts";
export {
  anything,
  digits,
  integer,
  isDigits,
  type NumberRules,
  number,
  type StringRules,
  string,
} from "./scalars.ts";
