import type { Found, FoundEntry, Search } from "../src/search/find.ts";
import type { SearchEntry } from "../src/search/search-entries.ts";

/** Starts the search field: a combobox with a list that the keyboard can operate (WAI-ARIA Authoring Practices). */
export function startFinder(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  const list = document.querySelector<HTMLUListElement>("#results");
  const said = document.querySelector("#found");
  if (input === null || list === null || said === null) return;
  let loading: Promise<Search> | undefined;
  const load = (): Promise<Search> => {
    loading ??= loadIndex().catch((error: unknown) => {
      // After a failure, the next key press loads the search list again.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  let marked = -1;

  /** Returns the search results; null if the list of pages cannot be loaded. */
  async function found(typed: string): Promise<Found | null> {
    try {
      return (await load())(typed);
    } catch {
      return null;
    }
  }

  async function show(): Promise<void> {
    if (input === null || list === null || said === null) return;
    const typed = input.value.trim();
    const result = typed === "" ? null : await found(typed);
    // This result is old if the reader typed more while the list was loading.
    if (typed !== input.value.trim()) return;
    const groups = result?.groups ?? [];
    list.replaceChildren(...groups.flatMap(groupOf));
    list.hidden = groups.length === 0;
    input.setAttribute("aria-expanded", String(groups.length > 0));
    said.textContent = typed === "" ? "" : inWords(typed, result);
    said.classList.toggle("only-heard", result !== null && !result.isClose);
    mark(groups.length > 0 ? 0 : -1);
  }

  function mark(index: number): void {
    const options = optionsIn(list);
    marked = options.length === 0 ? -1 : (index + options.length) % options.length;
    for (const [place, option] of options.entries())
      option.setAttribute("aria-selected", String(place === marked));
    const chosen = options[marked];
    if (chosen === undefined) input?.removeAttribute("aria-activedescendant");
    else input?.setAttribute("aria-activedescendant", chosen.id);
    chosen?.scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("focus", () => void load().catch(() => undefined));
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(marked + 1);
    else if (event.key === "ArrowUp") mark(marked - 1);
    else if (event.key === "Enter") optionsIn(list)[marked]?.querySelector("a")?.click();
    else if (event.key === "Escape") {
      input.value = "";
      void show();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

function optionsIn(list: Element | null): readonly Element[] {
  return [...(list?.querySelectorAll('[role="option"]') ?? [])];
}

function inWords(typed: string, found: Found | null): string {
  if (found === null) return "The gateway does not answer; type on to try again.";
  if (found.total === 0)
    return `Nothing is like “${typed}”. Try the name of an endpoint, a field, a problem code or a status.`;
  if (found.isClose) return `Nothing matches “${typed}” completely; these are close.`;
  return `${found.total} ${found.total === 1 ? "result" : "results"}`;
}

/** Loads the search library and the entries at the first search. */
async function loadIndex(): Promise<Search> {
  const [library, response] = await Promise.all([
    // The browser loads the bundled file beside this script.
    import(new URL("search.js", import.meta.url).href) as Promise<
      typeof import("../src/search/find.ts")
    >,
    fetch(new URL("../search.json", import.meta.url)),
  ]);
  const entries: readonly SearchEntry[] = await response.json();
  return library.createSearch(entries);
}

function groupOf({ entries, kind }: Found["groups"][number], group: number): HTMLLIElement[] {
  const heading = document.createElement("li");
  heading.setAttribute("role", "presentation");
  heading.className = "group";
  heading.textContent = kind;
  return [heading, ...entries.map((found, index) => optionOf(found, kind, `${group}-${index}`))];
}

function optionOf({ entry, field }: FoundEntry, kind: string, id: string): HTMLLIElement {
  const option = document.createElement("li");
  option.id = `result-${id}`;
  option.setAttribute("role", "option");
  const link = document.createElement("a");
  link.href = entry.href;
  link.tabIndex = -1;
  const path = entry.exact.find((text) => text.includes(" ")) ?? "";
  link.append(
    piece("only-heard", `${kind}: `),
    piece("name", entry.name),
    piece("path", kind === "Endpoint" ? path : ""),
    piece("summary", entry.note),
    ...(field === null ? [] : [piece("field-name", `Field ${field}`)]),
  );
  option.append(link);
  return option;
}

function piece(name: string, text: string): HTMLSpanElement {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}
