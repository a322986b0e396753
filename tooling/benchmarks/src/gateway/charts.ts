import { type BarChart, drawBarChart } from "../bar-chart.ts";
import { machineText } from "../machine.ts";
import { rounded } from "../percentile.ts";
import type { Chart } from "../results.ts";
import { type Figures, type GatewayResults, gatewayCostOf } from "./report.ts";
import { GATEWAY } from "./rows.ts";

/** Creates the charts of a complete run. */
export function resultCharts(results: GatewayResults): readonly Chart[] {
  const source = machineText(results.machine);
  return [
    {
      file: "ratio.svg",
      alternative: "Processor time of the bare proxy divided by the gateway's",
      image: drawBarChart(ratioChart(results, source)),
    },
    {
      file: "processor-time.svg",
      alternative: "Processor time of one request, for each work and each proxy",
      image: drawBarChart(costChart(results, source)),
    },
    {
      file: "memory.svg",
      alternative: "Resident memory of each proxy at rest, under load and with slow readers",
      image: drawBarChart(memoryChart(results, source)),
    },
  ];
}

function ratioChart(results: GatewayResults, source: string): BarChart {
  return {
    title: "Processor time of the bare proxy ÷ the gateway with everything on",
    about: "Longer is better. The thin line is the interval.",
    source,
    groups: [
      {
        name: "work",
        bars: results.rows.flatMap((row) => {
          const ratio = gatewayCostOf(row)?.ratio;
          if (ratio === undefined) return [];
          return {
            name: row.name,
            value: ratio.median,
            label: String(rounded(ratio.median)),
            interval: [ratio.low, ratio.high] as const,
            isOwn: true,
          };
        }),
      },
    ],
  };
}

function costChart(results: GatewayResults, source: string): BarChart {
  return {
    title: "Processor time of one request",
    about: "In microseconds, all threads of the process; shorter is better.",
    source,
    groups: results.rows.map((row) => ({
      name: row.title,
      bars: row.measured.map(({ processorUs, variant }) => ({
        name: variant,
        value: processorUs.median,
        label: `${Math.round(processorUs.median)} µs`,
        interval: [processorUs.low, processorUs.high] as const,
        isOwn: variant === row.gateway,
      })),
    })),
  };
}

function memoryChart(results: GatewayResults, source: string): BarChart {
  const group = (name: string, figures: Figures<number>): BarChart["groups"][number] => ({
    name,
    bars: Object.entries(figures).map(([variant, value]) => ({
      name: variant,
      value,
      label: `${value} MB`,
      isOwn: variant.startsWith(GATEWAY),
    })),
  });
  const loaded: Record<string, number> = {};
  for (const { memory, variant } of results.rows.flatMap(({ measured }) => measured))
    loaded[variant] = Math.max(memory, loaded[variant] ?? 0);
  return {
    title: "Resident memory",
    about: "In MB; shorter is better.",
    source,
    groups: [
      group("at rest", results.rest),
      group("highest under the load of all works", loaded),
      group("50 slow readers of 10 MB PDFs, over idle", results.readers),
    ],
  };
}
