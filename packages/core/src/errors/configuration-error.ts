const brand = Symbol.for("insurance-gateway.configuration-error");

/** The error for invalid options of the client, with every fault. It is thrown before any call. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The options of the gateway client are invalid: ${faults.join("; ")}`);
    this.faults = faults;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static isInstance(value: unknown): value is ConfigurationError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
