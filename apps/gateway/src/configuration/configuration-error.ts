/** The configuration cannot be used; every fault is listed with its path. */
export class ConfigurationError extends Error {
  /** Another start fails in the same way: the process ends with the exit code of a wrong configuration. */
  readonly mustBeCorrected = true;
  readonly faults: readonly string[];

  constructor(source: string, faults: readonly string[]) {
    super(
      `The configuration (${source}) cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}
