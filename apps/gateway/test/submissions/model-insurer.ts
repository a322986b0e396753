import { hash } from "node:crypto";
import type { Paging } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";

/** Paging styles, some with the number of the first item or page. */
export type PagedBy = "start 1" | "start 0" | "offset" | "page 1" | "page 0" | "cursor" | "link";

/** Behaviour of the insurer's list. */
export interface InsurerPlan {
  readonly paged: PagedBy;
  /** Difference between the insurer's clock and the true time, in milliseconds. */
  readonly clock: number;
  readonly order: "newest first" | "oldest first" | "any";
  /** The total that each page states: the length of the whole list, the length of the page (a wrong total), or null. */
  readonly total: "of the list" | "of the page" | "null";
  /** Maximum of items on a page, regardless of the requested size. */
  readonly shortPages: number;
  /** Number of the customer's items that are older than all submissions of the test. */
  readonly older: number;
  /** Number of items, created ten minutes after the start, that belong to other submissions. */
  readonly bulk: number;
  /** Number of items for other vehicles, created at the start, that did not come through the gateway. */
  readonly foreign: number;
  /** Events in the insurer's list before each request for a page, in order. */
  readonly pages: readonly PageEvent[];
}

/** An event before a page is read. */
export type PageEvent =
  | "nothing"
  | "time passes"
  | "another item is added"
  | "an older item is removed"
  | "a newer item is removed"
  | "the page is empty"
  | "no answer"
  | "another answer";

/** An item of the insurer's list. */
export interface ListedItem {
  readonly applicationId: string;
  readonly createdAt: string;
  readonly vehicle: { readonly plateNumber: string };
  readonly [field: string]: unknown;
}

const MINUTE = 60_000;

/** Returns the declared paging of the model insurer's list. */
export function pagingBy(paged: PagedBy): Paging {
  const [style = "", from = "1"] = paged.split(" ");
  return {
    // Each value of `PagedBy` begins with the style of the paging.
    style: style as Paging["style"],
    position: "place",
    ...(style === "start" || style === "page" ? { from: from === "0" ? 0 : 1 } : {}),
    size: { name: "size", usual: 20, most: 100 },
    items: "/found",
    total: "/count",
    ...(style === "cursor" ? { next: "/next" } : {}),
  };
}

/** Tenant in the path of every request. */
export const TENANT = "T-1";

/** Returns how many items of the list come before a page. */
function beginOf(paged: PagedBy, place: unknown, size: number): number {
  switch (paged) {
    case "start 1":
      return Number(place) - 1;
    case "start 0":
    case "offset":
      return Number(place);
    case "page 1":
      return (Number(place) - 1) * size;
    case "page 0":
      return Number(place) * size;
    case "cursor":
    case "link":
      return place === undefined ? 0 : Number(String(place).replace("after-", ""));
  }
}

/** An insurer that executes applications and lists them. */
export class ModelInsurer {
  readonly #plan: InsurerPlan;
  readonly #prefix: string;
  readonly #now: () => number;
  readonly #items: ListedItem[] = [];
  #pages = 0;

  constructor(plan: InsurerPlan, prefix: string, now: () => number) {
    this.#plan = plan;
    this.#prefix = prefix;
    this.#now = now;
    for (let count = 0; count < plan.older; count += 1)
      this.#items.push(this.#foreign("OLD", now() - 60 * MINUTE));
    for (let count = 0; count < plan.bulk; count += 1)
      this.#items.push(this.#foreign("BULK", now() + 10 * MINUTE));
    for (let count = 0; count < plan.foreign; count += 1)
      this.#items.push(this.#foreign("ELSE", now()));
  }

  /** Executes an application. The insurer changes the spelling of the plate. */
  add(body: object): ListedItem {
    const { vehicle } = { vehicle: { plateNumber: "" }, ...body };
    const plateNumber = vehicle.plateNumber.replace("ΙΚΥ-", "IKY ");
    const item = this.#item("NEW", this.#now(), { ...body, vehicle: { ...vehicle, plateNumber } });
    this.#items.push(item);
    return item;
  }

  isBulk(applicationId: string): boolean {
    return applicationId.startsWith(`${this.#prefix}-BULK`);
  }

  vehicleOf(applicationId: string): { readonly plateNumber: string } {
    const item = this.#items.find((one) => one.applicationId === applicationId);
    if (item === undefined) throw new TypeError(`There is no ${applicationId}`);
    return item.vehicle;
  }

  /** Answers a search with one page. */
  async search(
    { params, query }: CheckedInput,
    pass: (milliseconds: number) => Promise<void>,
  ): Promise<{ readonly content: string; readonly headers: Readonly<Record<string, string>> }> {
    if (params.tenantId !== TENANT || query.clientAfm === undefined)
      throw new TypeError("The search is not the submission's");
    const { paged, pages, shortPages, total } = this.#plan;
    const event = pages[this.#pages % Math.max(1, pages.length)] ?? "nothing";
    this.#pages += 1;
    if (event === "time passes") await pass(20_000);
    if (event === "another item is added") this.#items.push(this.#foreign("ELSE", this.#now()));
    if (event === "an older item is removed") this.#remove("-OLD-");
    if (event === "a newer item is removed") this.#remove("-BULK-");
    if (event === "no answer" || event === "another answer")
      throw new Refusal("PROVIDER_BAD_RESPONSE", {
        detail: event,
        attempt: event === "no answer" ? "failed" : "unusable",
      });
    const isTold = total === "of the list";
    const most = Math.min(Number(query.size), shortPages);
    const listed = this.#listed();
    const from = beginOf(paged, query.place, most);
    const isEmptied = event === "the page is empty" && isTold;
    const found = isEmptied ? [] : listed.slice(from, from + most);
    const next = isEmptied || from + most >= listed.length ? null : `after-${from + most}`;
    const counts = { "of the list": listed.length, "of the page": found.length, null: null };
    const named = paged === "cursor" ? { next } : {};
    return {
      content: JSON.stringify({ found, count: counts[total], ...named }),
      headers: paged === "link" && next !== null ? { "next-cursor": next } : {},
    };
  }

  #remove(kind: string): void {
    const index = this.#items.findIndex(({ applicationId }) => applicationId.includes(kind));
    if (index >= 0) this.#items.splice(index, 1);
  }

  #listed(): readonly ListedItem[] {
    const { order } = this.#plan;
    const newest = this.#items.toSorted((one, other) =>
      one.createdAt === other.createdAt
        ? one.applicationId.localeCompare(other.applicationId)
        : other.createdAt.localeCompare(one.createdAt),
    );
    if (order === "newest first") return newest;
    // The order of the items is arbitrary, but never changes.
    const key = ({ applicationId }: ListedItem): string => hash("sha256", applicationId);
    return order === "oldest first"
      ? newest.toReversed()
      : newest.toSorted((one, other) => key(one).localeCompare(key(other)));
  }

  #foreign(kind: string, at: number): ListedItem {
    return this.#item(kind, at, {
      policy: { startDate: "2030-01-01", endDate: "2031-01-01" },
      vehicle: { plateNumber: "XXX 9999" },
    });
  }

  #count = 0;
  #item(
    kind: string,
    at: number,
    more: Pick<ListedItem, "vehicle"> & Readonly<Record<string, unknown>>,
  ): ListedItem {
    this.#count += 1;
    const createdAt = new Date(at + this.#plan.clock).toISOString();
    return { ...more, applicationId: `${this.#prefix}-${kind}-${this.#count}`, createdAt };
  }
}
