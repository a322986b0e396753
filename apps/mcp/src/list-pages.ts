import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";

/** Maximum number of items per page, which keeps a page well below a megabyte. */
const ITEMS_PER_PAGE = 100;

/**
 * Returns a page of a list; without a cursor, the first page.
 * @throws McpError if no page of the list has this cursor
 */
export function listPage<Item>(
  items: readonly Item[],
  cursor: string | undefined,
): { readonly items: readonly Item[]; readonly next: { readonly nextCursor?: string } } {
  const start = cursor === undefined ? 0 : parseCursor(cursor, items.length);
  const end = start + ITEMS_PER_PAGE;
  return {
    items: items.slice(start, end),
    next: end < items.length ? { nextCursor: String(end) } : {},
  };
}

function parseCursor(cursor: string, size: number): number {
  const start = /^[1-9]\d{0,8}$/.test(cursor) ? Number(cursor) : 0;
  if (start % ITEMS_PER_PAGE !== 0 || start === 0 || start >= size)
    throw new McpError(ErrorCode.InvalidParams, "Unknown cursor; omit it to get the first page");
  return start;
}
