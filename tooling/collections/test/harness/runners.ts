import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** How the snippets of one language are run. */
export interface Runner {
  readonly lang: string;
  /** The file that a snippet is written to. */
  readonly file: string;
  /** What the file holds; for most languages the snippet itself. */
  readonly prepare: (source: string) => string;
  readonly commands: readonly (readonly [string, ...string[]])[];
}

const asItIs = (source: string): string => source;
const tsc = fileURLToPath(
  new URL("../../../../node_modules/@typescript/native/bin/tsc", import.meta.url),
);

/** Every language that Debian has a runtime or a compiler for; ours is checked by the compiler, too. */
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
];

/** Runs a command to its end. */
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
