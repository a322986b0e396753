import { nearestNames } from "@insurance-gateway/core/runtime";
import { type Argument, Command, type ErrorOptions, InvalidArgumentError, Option } from "commander";

/**
 * A command whose errors never repeat a value of the command line: a value may be a customer's number or a token. The
 * class overrides the methods that create commander's error texts, although commander's types omit some of them.
 */
export class RedactingCommand extends Command {
  /** The word for a subcommand in error messages, such as `provider`. */
  subcommandWord = "command";

  override createCommand(name?: string): RedactingCommand {
    return new RedactingCommand(name);
  }

  unknownOption(given: string): never {
    // A flag's value may follow the flag's name directly: `--name=value`, `-nvalue`.
    const flag = given.startsWith("--") ? given.replace(/=.*$/s, "") : given.slice(0, 2);
    const flags = this.createHelp()
      .visibleOptions(this)
      .flatMap(({ long }) => long ?? []);
    return this.#refuseName("option", flag, flags);
  }

  unknownCommand(): never {
    const names = this.createHelp()
      .visibleCommands(this)
      .flatMap((command) => [command.name(), ...command.aliases()]);
    return this.#refuseName(this.subcommandWord, this.args[0] ?? "", names);
  }

  _excessArguments(received: readonly string[]): never {
    const expected = this.registeredArguments.length;
    return this.error(
      `error: too many arguments for '${this.name()}': ${expected} expected, ${received.length} given`,
      { code: "commander.excessArguments" },
    );
  }

  _callParseArg(target: Option | Argument, text: string, earlier: unknown): unknown {
    try {
      return target.parseArg?.(text, earlier as never); // the earlier value is from the same parser
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      const name = target instanceof Option ? (target.long ?? target.flags) : target.name();
      return this.error(`error: ${name} is invalid. ${error.message}`, { code: error.code });
    }
  }

  override error(message: string, options?: ErrorOptions): never {
    if (this.opts().output !== "json") return super.error(message, options);
    this.showHelpAfterError(false);
    return super.error(
      JSON.stringify({
        code: "COMMAND_LINE_INVALID",
        // An earlier command with the same key may have sent the submission.
        ...(hasKeyFlag(this)
          ? { outcome: "unknown", retry: "after_check" }
          : { outcome: "not_sent", retry: "never" }),
        message: message.replace(/^error: /, ""),
        errors: [],
        idempotencyKey: null,
        submissionId: null,
        requestId: null,
        insurerId: null,
      }),
      options,
    );
  }

  #refuseName(what: string, name: string, known: readonly string[]): never {
    const near = nearestNames(name, known);
    const [only] = near;
    const hint = near.length > 1 ? `one of ${near.join(", ")}` : only;
    const named = looksLikeName(name) ? ` '${name}'` : "";
    const suggestion = hint === undefined ? "" : `\n(Did you mean ${hint}?)`;
    return this.error(`error: unknown ${what}${named}${suggestion}`, {
      code: "commander.unknownName",
    });
  }
}

/** Reports whether a word looks like a mistyped name, and not like a number or a token. */
function looksLikeName(word: string): boolean {
  return /^-{0,2}[A-Za-z][\w.-]{0,63}$/.test(word) && !/\d{5}/.test(word);
}

/** Reports whether the command line has the flag --idempotency-key, even after an argument that cannot be parsed. */
function hasKeyFlag(command: Command): boolean {
  if (command.parent !== null) return hasKeyFlag(command.parent);
  // Commander keeps the arguments in the property `rawArgs`, which is missing in Commander's type declarations.
  const given: unknown = Reflect.get(command, "rawArgs");
  return Array.isArray(given) && given.some((one) => /^--idempotency-key(=|$)/.test(String(one)));
}
