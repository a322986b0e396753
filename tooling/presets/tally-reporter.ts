import type { Reporter, TestModule } from "vitest/node";

/** Prints `N passed, N failed` as the last line of a test run; a file that does not load is a failure. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      let own = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        else own++;
      }
      if (module.state() === "failed" && own === 0) own++;
      failed += own;
    }
    process.once("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
