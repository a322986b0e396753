import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { logFields } from "../../src/operator/logging/fields.ts";
import { messages } from "../../src/operator/logging/messages.ts";
import { counters, gauges, histograms } from "../../src/operator/observation/metric-table.ts";
import { headingsOf, namedIn, tableBelow } from "./document.ts";
import { isThere, textOf } from "./repository.ts";

const OPERATING = "docs/operating.md";

describe("docs/operating.md", () => {
  it("has every metric of the gateway with its labels, and no other", () => {
    const told = tableBelow(OPERATING, "Metrics").flatMap(([names = "", labels = ""]) =>
      namedIn(names).map((name) => [name, namedIn(labels)] as const),
    );
    const declared = Object.entries({ ...counters, ...histograms, ...gauges }).map(
      ([name, { labels }]) => [name, labels] as const,
    );
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(declared));
  });

  it("has every field of the log, and no other", () => {
    const told = tableBelow(OPERATING, "Logs").flatMap(([names = ""]) => namedIn(names));
    // pino's own, and what the log says of what it left out.
    const others = ["level", "time", "msg", "dropped"];
    expect(told.toSorted()).toEqual([...Object.keys(logFields), ...others].toSorted());
  });

  it("quotes the log as it is written", () => {
    const quoted = namedIn(textOf(OPERATING)).filter((name) => /^(?:an?|the) [a-z' ]+$/.test(name));
    expect(quoted.length).toBeGreaterThan(5);
    for (const words of quoted)
      expect(messages.filter((message) => message.startsWith(words))).toHaveLength(1);
  });

  it("names what refuses a start in production: keys, variables and options of Node", () => {
    const source = textOf("apps/gateway/src/configuration/production.ts");
    const named = namedIn(
      tableBelow(OPERATING, "When the gateway refuses to start")
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
    // Of `listen` it is a part that is missing.
    for (const name of refused) expect(places).toContain(name === "listen" ? "listen.tls" : name);
  });
});

describe("the links of", () => {
  it.each([OPERATING, "docs/security.md", "docs/configuration.md"])("%s lead somewhere", (path) => {
    const links = [...textOf(path).matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    for (const link of links.filter((one) => !one.startsWith("https:"))) {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      expect(isThere(target) ? target : "nothing").toBe(target);
      if (anchor === undefined) continue;
      expect(headingsOf(target).map((heading) => heading.anchor)).toContain(anchor);
    }
  });
});
