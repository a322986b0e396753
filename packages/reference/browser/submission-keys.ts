/** The part of the page's document that says which requests are submissions. */
interface Operations {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly "x-acts-at-insurer": boolean }>>>
  >;
}

/** Functions that Scalar calls before it sends a request of the form, and with its answer. */
interface FormHooks {
  readonly onRequestBuilt: (sent: { readonly request: Request }) => void;
  readonly onResponseReceived: (received: { readonly response: Response }) => void;
}

/**
 * Gives a submission of the form a generated key if the reader gave none, and shows a line if the gateway answered from an
 * earlier submission.
 */
export function keysOfForm({ paths }: Operations): FormHooks {
  const submissions = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation["x-acts-at-insurer"])
      .map(
        ([method]) => new RegExp(`^${method} .*${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`, "i"),
      ),
  );
  return {
    onRequestBuilt({ request: { headers, method, url } }) {
      document.querySelector("#replayed")?.remove();
      const line = `${method} ${new URL(url).pathname}`;
      const acts = submissions.some((submission) => submission.test(line));
      // The reader's key may be ticked, and empty.
      if (acts && !headers.get("idempotency-key"))
        headers.set("idempotency-key", `"${newUuid()}";generated`);
    },
    onResponseReceived({ response }) {
      if (response.headers.get("idempotency-replayed") !== "true") return;
      const line = Object.assign(document.createElement("p"), {
        id: "replayed",
        role: "status",
        textContent:
          "Replayed: this is the stored answer of an earlier submission, and nothing was sent to the insurer. For two equal applications, give each an Idempotency-Key of your own.",
      });
      // Assistive technology reads only the form's dialog while it is open.
      document.querySelector('[role="dialog"] [aria-label="Response"]')?.prepend(line);
    },
  };
}

/** `crypto.randomUUID` exists only on https and on localhost. */
export function newUuid(): string {
  const [...bytes] = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
