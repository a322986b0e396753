const brand = Symbol.for("insurance-gateway.configuration-error");

/** The client was set up wrongly. It is thrown before any call, and names every fault. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The gateway client is set up wrongly: ${faults.join("; ")}`);
    this.faults = faults;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises the error, also one of another copy of this package. */
  static isInstance(value: unknown): value is ConfigurationError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
