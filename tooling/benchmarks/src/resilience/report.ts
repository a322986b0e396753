import { availableParallelism, cpus, loadavg } from "node:os";
import { markdownTable } from "../markdown-table.ts";
import type { Section } from "./scenario.ts";

/** Says what the figures were measured on, and how busy it was before. */
export function machineText(): string {
  const model = cpus()[0]?.model ?? "an unknown processor";
  const load = loadavg()[0] ?? 0;
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} × ${model}, ` +
    `which the gateway, the insurers and the load shared (load average at the start: ${load.toFixed(1)}).\n`
  );
}

/** Writes a section in Markdown. */
export function sectionText({ figures, method, title }: Section): string {
  const rows = figures.map(({ figure, held, measured, wanted }) => ({
    figure,
    measured,
    wanted: wanted ?? "",
    held: held === undefined ? "" : held ? "yes" : "**no**",
  }));
  return `\n**${title}.** ${method}\n\n${markdownTable(rows)}\n`;
}
