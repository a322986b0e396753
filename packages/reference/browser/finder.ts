import type { SearchEntry } from "../src/search/search-entries.ts";
import { type FindEndpoints, indexEndpoints } from "./endpoint-index.ts";

/** Brings the search field to life: a combobox with a list, worked by keyboard alone (WAI-ARIA Authoring Practices). */
export function startFinder(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  const list = document.querySelector<HTMLUListElement>("#results");
  const said = document.querySelector("#found");
  if (input === null || list === null || said === null) return;
  let loading: Promise<FindEndpoints> | undefined;
  const load = (): Promise<FindEndpoints> => {
    loading ??= loadIndex().catch((error: unknown) => {
      // The next key tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  let marked = -1;

  async function found(typed: string): Promise<Found> {
    if (typed === "") return { shown: [], total: 0 };
    try {
      return (await load())(typed);
    } catch {
      return { shown: [], total: null };
    }
  }

  async function show(): Promise<void> {
    if (input === null || list === null || said === null) return;
    const typed = input.value.trim();
    const { shown, total } = await found(typed);
    // Somebody typed on while the list was loading.
    if (typed !== input.value.trim()) return;
    list.replaceChildren(...shown.map(optionOf));
    list.hidden = shown.length === 0;
    input.setAttribute("aria-expanded", String(shown.length > 0));
    said.textContent = typed === "" ? "" : totalInWords(total);
    said.classList.toggle("only-heard", total !== null);
    mark(shown.length > 0 ? 0 : -1);
  }

  function mark(index: number): void {
    const options = [...(list?.children ?? [])];
    marked = options.length === 0 ? -1 : (index + options.length) % options.length;
    for (const [place, option] of options.entries())
      option.setAttribute("aria-selected", String(place === marked));
    const chosen = options[marked];
    if (chosen === undefined) input?.removeAttribute("aria-activedescendant");
    else input?.setAttribute("aria-activedescendant", chosen.id);
    chosen?.scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("focus", () => void found("a"));
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(marked + 1);
    else if (event.key === "ArrowUp") mark(marked - 1);
    else if (event.key === "Enter") list.children[marked]?.querySelector("a")?.click();
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

/** What the search has found; no total where the list could not be fetched. */
interface Found {
  readonly shown: readonly SearchEntry[];
  readonly total: number | null;
}

function totalInWords(total: number | null): string {
  if (total === null) return "The gateway does not answer; type on to try again.";
  return `${total} ${total === 1 ? "endpoint" : "endpoints"}`;
}

async function loadIndex(): Promise<FindEndpoints> {
  const response = await fetch(new URL("../search.json", import.meta.url));
  const endpoints: readonly SearchEntry[] = await response.json();
  return indexEndpoints(endpoints);
}

function optionOf(endpoint: SearchEntry, index: number): HTMLLIElement {
  const option = document.createElement("li");
  option.id = `result-${index}`;
  option.setAttribute("role", "option");
  const link = document.createElement("a");
  link.href = new URL(
    `../providers/${endpoint.segment}/${endpoint.name}`,
    import.meta.url,
  ).pathname;
  link.tabIndex = -1;
  link.append(
    piece("method", endpoint.method),
    piece("path", endpoint.path),
    piece("summary", `${endpoint.summary} · ${endpoint.provider}`),
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
