import { markdownTable } from "../markdown-table.ts";

/** A profile as V8 writes it, as far as it is read here. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  /** In microseconds of the monotonic clock, which `process.hrtime` reads too. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** The time before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

const IDLE = ["(idle)", "(program)"];

/**
 * Returns how much of the busy time each module and each function took itself.
 * @param since - the instant that counts as the beginning, in microseconds of the monotonic clock
 */
export function summaryOf(
  { nodes, samples, startTime, timeDeltas }: Profile,
  since: number,
): string {
  const frames = new Map(nodes.map(({ callFrame, id }) => [id, callFrame]));
  const byModule = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let busy = 0;
  let now = startTime;
  samples.forEach((id, place) => {
    const { functionName, url } = frames.get(id) ?? { functionName: "", url: "" };
    const took = timeDeltas[place] ?? 0;
    now += took;
    if (now < since || IDLE.includes(functionName)) return;
    busy += took;
    const module = moduleOf(url);
    const name = `${functionName || "(anonymous)"} ${fileOf(url)}`;
    byModule.set(module, (byModule.get(module) ?? 0) + took);
    byFunction.set(name, (byFunction.get(name) ?? 0) + took);
  });
  const rows = (times: ReadonlyMap<string, number>, kind: string, most: number): string =>
    markdownTable(
      [...times]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, most)
        .map(([name, took]) => ({
          [kind]: name,
          "% of busy time": ((took / busy) * 100).toFixed(1),
        })),
    );
  return `${rows(byModule, "module", 25)}\n\n${rows(byFunction, "function", 60)}\n`;
}

/** A package's name, a folder of the gateway's own, or Node's module. */
function moduleOf(url: string): string {
  const installed = url.split("/node_modules/").at(-1);
  if (url.includes("/node_modules/") && installed !== undefined) {
    const [scope = "", name = ""] = installed.split("/");
    return scope.startsWith("@") ? `${scope}/${name}` : scope;
  }
  const [, own] = /\/(?:apps|packages)\/(.+)\/[^/]+$/.exec(url) ?? [];
  return own ?? (url === "" ? "(V8)" : url);
}

function fileOf(url: string): string {
  return url.startsWith("file:") ? url.split("/").slice(-3).join("/") : url;
}
