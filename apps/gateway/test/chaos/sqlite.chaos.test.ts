import { describe } from "vitest";
import { chaosTests } from "./chaos-tests.ts";
import { sqlitePlace } from "./place.ts";

describe("SQLite, one gateway", () => {
  chaosTests(async () => sqlitePlace);
});
