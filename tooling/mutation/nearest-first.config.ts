import { env } from "node:process";
import preset from "@insurance-gateway/presets/vitest";
import { defineConfig, mergeConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { FAULTY_FILE } from "./src/fault.ts";

/** Sorts test files: files whose paths share most words with the faulty file's path run first. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const wanted = wordsOf(env[FAULTY_FILE] ?? "");
    const shared = ({ moduleId }: TestSpecification): number => {
      const words = wordsOf(moduleId);
      return wanted.filter((word) => words.includes(word)).length;
    };
    return files.toSorted((a, b) => shared(b) - shared(a));
  }
}

function wordsOf(path: string): readonly string[] {
  return path.split(/[^A-Za-z]+/);
}

export default mergeConfig(
  preset,
  defineConfig({ test: { sequence: { sequencer: NearestFirst } } }),
);
