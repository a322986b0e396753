import type { Usage } from "../process-usage.ts";

/** Writes milliseconds: `12.3 ms`. */
export function ms(value: number): string {
  return `${value.toLocaleString("en", { maximumFractionDigits: 1 })} ms`;
}

/** Writes milliseconds as seconds: `12.3 s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** Writes a number: `12,345`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** Writes a rate: `12,345/s`. */
export function rate(perSecond: number): string {
  return `${count(perSecond)}/s`;
}

/** Writes how busy a process was, in percent of one core. */
export function busy(cpuPercent: number): string {
  return `${Math.round(cpuPercent)} % of a core`;
}

/** Writes how much memory a process had. */
export function memory({ memoryBefore, memoryPeak }: Usage): string {
  return `${memoryBefore} MB before, ${memoryPeak} MB at most`;
}
