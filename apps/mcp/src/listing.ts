import {
  ErrorCode,
  type ListToolsResult,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { ConfirmedBy } from "./arguments.ts";
import type { ServedTool } from "./served-tools.ts";

/** A page of the list of tools, from its cursor; the first without one. */
export type Listing = (confirmedBy: ConfirmedBy, cursor: string | undefined) => ListToolsResult;

/** So that no page is a message of megabytes. */
const TOOLS_OF_A_PAGE = 100;

/** Makes the list of tools, in pages; each tool's schema is written once. */
export function createListing(tools: readonly ServedTool[]): Listing {
  const written = new Map<string, Tool>();
  function list(tool: ServedTool, confirmedBy: ConfirmedBy): Tool {
    const place = `${tool.name} ${confirmedBy}`;
    const listed = written.get(place) ?? tool.listed(confirmedBy);
    written.set(place, listed);
    return listed;
  }
  return (confirmedBy, cursor) => {
    const start = cursor === undefined ? 0 : startOf(cursor, tools.length);
    const end = start + TOOLS_OF_A_PAGE;
    return {
      tools: tools.slice(start, end).map((tool) => list(tool, confirmedBy)),
      ...(end < tools.length ? { nextCursor: String(end) } : {}),
    };
  };
}

/** @throws McpError when the cursor is none that this list gave out */
function startOf(cursor: string, size: number): number {
  const start = /^[1-9]\d{0,8}$/.test(cursor) ? Number(cursor) : 0;
  if (start % TOOLS_OF_A_PAGE !== 0 || start === 0 || start >= size)
    throw new McpError(ErrorCode.InvalidParams, "There is no such page; leave the cursor out");
  return start;
}
