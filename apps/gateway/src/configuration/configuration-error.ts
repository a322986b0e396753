/** An unusable configuration. `faults` lists every fault with its path. */
export class ConfigurationError extends Error {
  /**
   * True because a restart would fail in the same way. The process exits with the code for a wrong configuration.
   */
  readonly mustBeCorrected = true;
  readonly faults: readonly string[];

  constructor(source: string, faults: readonly string[]) {
    super(
      `The configuration (${source}) cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}
