import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { logFields } from "../../src/operator/logging/fields.ts";
import { messages } from "../../src/operator/logging/messages.ts";
import { counters, gauges, histograms } from "../../src/operator/observation/metric-table.ts";
import { headingsOf, namedIn, tableBelow } from "./document.ts";
import { isThere, namesIn, textOf } from "./repository.ts";

const pages = ["README.md", ...namesIn("docs").map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);

describe("docs/observing.md", () => {
  it("docs/observing.md lists exactly the gateway's metrics, with their labels", () => {
    const documented = tableBelow("docs/observing.md", "Metrics").flatMap(
      ([names = "", labels = ""]) => namedIn(names).map((name) => [name, namedIn(labels)] as const),
    );
    const declared = Object.entries({ ...counters, ...histograms, ...gauges }).map(
      ([name, { labels }]) => [name, labels] as const,
    );
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(declared));
  });

  it("docs/observing.md lists exactly the fields of the log", () => {
    const documented = tableBelow("docs/observing.md", "Logs").flatMap(([names = ""]) =>
      namedIn(names),
    );
    // The fields that pino adds to every log line, and `dropped`, the number of fields that the log omits.
    const others = ["level", "time", "msg", "dropped"];
    expect(documented.toSorted()).toEqual([...Object.keys(logFields), ...others].toSorted());
  });
});

describe("docs/alerts.md", () => {
  it("docs/alerts.md quotes log messages exactly as the gateway writes them", () => {
    const quoted = namedIn(textOf("docs/alerts.md")).filter((name) =>
      /^(?:an?|the) [a-z' ]+$/.test(name),
    );
    expect(quoted.length).toBeGreaterThan(5);
    for (const words of quoted)
      expect(messages.filter((message) => message.startsWith(words))).toHaveLength(1);
  });
});

describe("docs/deploying.md", () => {
  it("docs/deploying.md names every key, variable and option that prevents a start in production", () => {
    const source = textOf("apps/gateway/src/configuration/production.ts");
    const named = namedIn(
      tableBelow("docs/deploying.md", "When the gateway refuses to start")
        .filter(([what = ""]) => what.startsWith("in production: "))
        .flat()
        .join(" "),
    );
    const found = (place: RegExp): readonly string[] =>
      [...source.matchAll(place)].map(([, name = ""]) => name);
    const [options = ""] = found(/\^--\((.+)\)\(=\|\$\)\//g);
    const refused = [
      ...found(/"((?:listen|issuers|submissions)[.A-Za-z]*): /g),
      ...found(/"([A-Z_]+) \(environment\)/g),
      ...options
        .replaceAll(/\([^)]*\)\?/g, "")
        .split("|")
        .map((option) => `--${option.replace(".*", "…")}`),
    ];
    expect(refused.length).toBeGreaterThan(10);
    const places = named.map((words) => words.split("=", 1)[0]);
    // The fault of a missing `listen.tls` has the path `listen`.
    for (const name of refused) expect(places).toContain(name === "listen" ? "listen.tls" : name);
  });
});

describe("the pages of the documentation", () => {
  it.each(pages)("all links of a page lead to existing files and headings: %s", (path) => {
    const links = [...textOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    for (const link of links.filter((one) => !/^https?:/.test(one))) {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      expect(isThere(target) ? target : `${path} links to ${link}`).toBe(target);
      if (anchor === undefined) continue;
      expect(headingsOf(target).map((heading) => heading.anchor)).toContain(anchor);
    }
  });
});
