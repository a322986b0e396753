import type { Paging } from "../../src/contract/index.ts";

const size = { name: "size", usual: 2 };
export const offset: Paging = { style: "offset", position: "skip", size, items: "/items" };
export const paged: Paging = {
  style: "page",
  position: "page",
  size,
  items: "/items",
  total: "/total",
};
export const cursor: Paging = {
  style: "cursor",
  position: "after",
  size: { usual: 2 },
  items: "/items",
  next: { header: "x-next" },
};
