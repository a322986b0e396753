/** The configuration cannot be used; every fault is listed with its path. The process ends with code 78 (EX_CONFIG). */
export class ConfigurationError extends Error {
  readonly faults: readonly string[];

  constructor(source: string, faults: readonly string[]) {
    super(
      `The configuration (${source}) cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}
