import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestModule } from "vitest/node";

/** The fields of a thrown error that vitest reports. */
interface TestError {
  /** A test may throw a value that is not an error. */
  readonly message?: unknown;
  readonly diff?: unknown;
  readonly stacks?: readonly { readonly file: string; readonly line: number }[] | undefined;
}

/**
 * Ends a test run with a `✗` line and the reason for each failure, and `N passed, N failed` as the last line. A file
 * that cannot be loaded and an uncaught error are failures, too.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly TestError[]): void {
    let passed = 0;
    const reasons: string[] = [];
    const failures = unhandled.map((error) => failure("outside a test", [error]));
    for (const module of modules) {
      let own = 0;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed++;
        else {
          own++;
          failures.push(failure(`${module.relativeModuleId} > ${test.fullName}`, result.errors));
        }
      }
      // vitest reports an error in a hook at the suite or test of the hook.
      const suites = [module, ...module.children.allSuites()];
      const errors = suites.flatMap((suite) => suite.errors());
      if (module.state() === "failed" && own === 0)
        failures.push(failure(module.relativeModuleId, errors));
      else if (errors.length > 0) reasons.push(failure(module.relativeModuleId, errors));
    }
    process.once("exit", () => {
      for (const text of [...failures, ...reasons]) process.stdout.write(text);
      process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
    });
  }
}

/** Formats a failure with a shortened reason, so that a person knows where to look without the full log. */
function failure(name: string, errors: readonly TestError[] = []): string {
  const reasons = errors.flatMap(
    ({ message = "something without a message was thrown", diff = "", stacks = [] }) => [
      ...String(message).split("\n", 12),
      ...stripVTControlCharacters(String(diff)).split("\n", 20),
      ...stacks.slice(0, 3).map(({ file, line }) => `at ${relative(process.cwd(), file)}:${line}`),
    ],
  );
  return `✗ ${name}\n${reasons
    .filter((line) => line !== "")
    .map((line) => `  | ${line.slice(0, 400)}\n`)
    .join("")}`;
}
