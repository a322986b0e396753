/** The configuration cannot be used; every fault is listed with its path. */
export class ConfigurationError extends Error {
  /** EX_CONFIG of sysexits.h: a process that fails with it ends with this code. */
  readonly exitCode = 78;
  readonly faults: readonly string[];

  constructor(source: string, faults: readonly string[]) {
    super(
      `The configuration (${source}) cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}
