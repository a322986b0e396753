/** One sample of the metrics page. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of the metrics page, with all samples of the metric. */
export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/gy;

/** Reads the text format of Prometheus 0.0.4. Throws if a line has another format. */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line has no end");
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  let name = "";
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const [, keyword, named = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (families.has(named)) throw new Error(`${named} comes twice`);
      name = named;
      families.set(name, { type: "", help: rest, samples: [] });
    } else if (keyword === "TYPE") {
      const family = families.get(named);
      if (family === undefined || named !== name) throw new Error(`The type of ${named} is astray`);
      family.type = rest;
    } else {
      const sample = readSample(line);
      if (sample.name.replace(/_(bucket|sum|count)$/, "") !== name && sample.name !== name)
        throw new Error(`${sample.name} is under ${name}`);
      families.get(name)?.samples.push(sample);
    }
  }
  return families;
}

/** Returns the value of the only sample that has the given labels; undefined if there is no such sample. */
export function sampleOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name.replace(/_(bucket|sum|count)$/, "")) ?? families.get(name);
  const found = (family?.samples ?? []).filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (found.length > 1) throw new Error(`${name} with these labels is not one`);
  return found[0]?.value;
}

function readSample(line: string): Sample {
  const [, name, inBraces = "", value] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`This is no sample: ${line}`);
  const labels = [...inBraces.matchAll(LABEL)];
  if (labels.map(([whole]) => whole).join("") !== inBraces)
    throw new Error(`These are no labels: ${inBraces}`);
  const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
  // NaN, in any letter case, means that nothing was measured yet.
  if (Number.isNaN(number) && !/^nan$/i.test(value ?? ""))
    throw new Error(`This is no value: ${value}`);
  return {
    name,
    labels: Object.fromEntries(labels.map(([, label, text]) => [label, text])),
    value: number,
  };
}
