import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The files and the commands with which the snippets of one language run. */
export interface Runner {
  readonly lang: string;
  /** The file into which the test writes a snippet. */
  readonly file: string;
  /** Returns the content of the file; for most languages the snippet itself. */
  readonly prepare: (source: string) => string;
  /** The contents of further files that the language needs in the same folder, by file name. */
  readonly beside?: Readonly<Record<string, string>>;
  readonly commands: readonly (readonly [string, ...string[]])[];
}

const asItIs = (source: string): string => source;
const tsc = fileURLToPath(
  new URL("../../../node_modules/@typescript/native/bin/tsc", import.meta.url),
);

/**
 * Converts a snippet to C# 7, the version of Debian's compiler: older string and `using` syntax, and a class around the
 * statements.
 */
function olderCsharp(source: string): string {
  const lines = source
    .replaceAll(/"""\n(.*?)\n"""/gs, (_, text: string) => `@"${text.replaceAll('"', '""')}"`)
    .replaceAll("using var ", "var ");
  const [head = "", ...body] = lines.split("\n\n");
  return [
    "using System;",
    "using System.Net.Http;",
    "using System.Threading.Tasks;",
    head,
    "public static class Example {",
    "public static void Main() { Run().GetAwaiter().GetResult(); }",
    "static async Task Run() {",
    ...body,
    "} }",
  ].join("\n");
}

/** Settings for Debian's Rust crates. Each crate is compiled once for all snippets. */
const cargo: Readonly<Record<string, string>> = {
  "Cargo.toml": `[package]
name = "example"
version = "0.0.0"
edition = "2021"
[dependencies]
reqwest = { version = "*", features = ["json"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
`,
  ".cargo/config.toml": `[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
[build]
target-dir = "../rust-target"
`,
};

/**
 * All languages with Debian's runtime or compiler. The TypeScript compiler also checks the snippets for this client.
 */
export const runners: readonly Runner[] = [
  {
    lang: "typescript",
    file: "main.mts",
    prepare: asItIs,
    commands: [
      [
        tsc,
        "--noEmit",
        "--strict",
        "--exactOptionalPropertyTypes",
        "--module",
        "nodenext",
        "--target",
        "es2023",
        "--lib",
        "es2023,dom",
        "--types",
        "",
        "main.mts",
      ],
      [process.execPath, "main.mts"],
    ],
  },
  { lang: "shell", file: "main.sh", prepare: asItIs, commands: [["sh", "main.sh"]] },
  {
    lang: "javascript",
    file: "main.mjs",
    prepare: asItIs,
    commands: [[process.execPath, "main.mjs"]],
  },
  { lang: "python", file: "main.py", prepare: asItIs, commands: [["python3", "main.py"]] },
  { lang: "java", file: "Example.java", prepare: asItIs, commands: [["java", "Example.java"]] },
  { lang: "php", file: "main.php", prepare: asItIs, commands: [["php", "main.php"]] },
  { lang: "go", file: "main.go", prepare: asItIs, commands: [["go", "run", "main.go"]] },
  { lang: "ruby", file: "main.rb", prepare: asItIs, commands: [["ruby", "main.rb"]] },
  {
    lang: "c",
    file: "main.c",
    prepare: asItIs,
    commands: [["gcc", "-Wall", "-Werror", "main.c", "-lcurl", "-o", "main"], ["./main"]],
  },
  {
    lang: "csharp",
    file: "main.cs",
    prepare: olderCsharp,
    commands: [
      ["mcs", "-r:System.Net.Http.dll", "main.cs"],
      ["mono", "main.exe"],
    ],
  },
  {
    lang: "rust",
    file: "src/main.rs",
    prepare: asItIs,
    beside: cargo,
    // Debian's cargo, even if the user has installed another one.
    commands: [["env", "PATH=/usr/bin:/bin", "cargo", "run", "--offline", "--quiet"]],
  },
];

/** Runs a program and waits for its end. */
export async function runProgram(
  [program, ...parameters]: readonly [string, ...string[]],
  folder: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(program, parameters, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("latin1").on("data", (text: string) => {
      output += text.slice(0, 10_000);
    });
  const [code] = await once(child, "close");
  return { code, output };
}
