const brand = Symbol.for("insurance-gateway.configuration-error");

/** The client's options are invalid. Thrown before any call, with every fault. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The options of the gateway client are invalid: ${faults.join("; ")}`);
    this.faults = faults;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Reports whether a value is this error, also if another copy of this package created it. */
  static isInstance(value: unknown): value is ConfigurationError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
