export { default } from "./tooling/presets/vitest.ts";
