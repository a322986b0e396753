export type { Page, PageQuery } from "./contract/index.ts";
