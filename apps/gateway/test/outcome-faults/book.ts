import type { ReceivedRequest } from "./request-reader.ts";

/** Kinds of call. The insurer serves each kind at a separate address. */
export type Kind = "submission" | "search" | "lookup" | "document";

/** All kinds of call. */
export const kinds: readonly Kind[] = ["submission", "search", "lookup", "document"];

/** The parts of an application that a submission contains and an answer repeats. */
export interface ApplicationContent {
  readonly policy: { readonly startDate: string; readonly endDate: string };
  readonly vehicle: {
    readonly plateNumber: string;
    readonly manufacturerCode: string;
    readonly modelCode: string;
  };
  readonly holder: { readonly afm: string; readonly fullName: string };
}

/** An application as the insurer stores it. */
export interface StoredApplication extends ApplicationContent {
  readonly applicationId: string;
}

/** An honest insurer's answer and applications. Every fault changes the answer or one of the applications. */
export interface HonestAnswer {
  readonly status: number;
  readonly mediaType: string;
  readonly body: string;
  /** The application that the insurer creates for a submission. */
  readonly application: StoredApplication;
  /** The application that the insurer executed before `application`; without one, `application` itself. */
  readonly previous: StoredApplication;
}

/** One exchange in the insurer's log. */
export interface Receipt {
  readonly kind: Kind;
  /** Number of the test's call that was running when the exchange began. */
  readonly turn: number;
  request: ReceivedRequest | null;
  /** True if the insurer received the whole request. */
  received: boolean;
  /** The application that the insurer executed, as it was stored. */
  carriedOut: StoredApplication | null;
  /** Status of the insurer's answer; null before the answer. */
  answered: number | null;
}

/** Brands that an honest insurer returns for a lookup. */
export const honestBrands: object = { items: [{ code: "TOY", name: "Toyota" }] };
/** File that an honest insurer returns for a download. */
export const honestDocument: string = `%PDF-1.7\n${"A page. ".repeat(200)}\n%%EOF\n`;

/** The records of an honest insurer. */
export interface InsurerRecords {
  readonly receipts: Receipt[];
  /**
   * Returns the honest answer to a request.
   * @param stores - changes to the application that the insurer creates for a submission
   */
  readonly honestAnswer: (
    kind: Kind,
    request: ReceivedRequest | null,
    stores?: (application: StoredApplication, previous: StoredApplication) => object,
  ) => HonestAnswer;
}

/**
 * Creates the records of an honest insurer without applications.
 * @param prefix - beginning of all identifiers that the insurer gives
 * @param now - the insurer's clock, in milliseconds since 1970
 */
export function createRecords(prefix: string, now: () => number): InsurerRecords {
  const receipts: Receipt[] = [];
  let made = 0;

  function carriedOut(): readonly StoredApplication[] {
    return receipts.flatMap((receipt) => receipt.carriedOut ?? []);
  }

  const honestAnswer: InsurerRecords["honestAnswer"] = (kind, request, stores) => {
    const drafted = draft(request?.method === "POST" ? request.body : null);
    const previous = carriedOut().at(-1) ?? drafted;
    const application = { ...drafted, ...stores?.(drafted, previous) };
    const json = (status: number, value: object): HonestAnswer => ({
      status,
      mediaType: "application/json",
      body: JSON.stringify(value),
      application,
      previous,
    });
    if (kind === "lookup") return json(200, honestBrands);
    if (kind === "document")
      return { ...json(200, {}), mediaType: "application/pdf", body: honestDocument };
    if (kind === "submission" && request?.method !== "GET") return json(201, application);
    return json(200, found(request?.query ?? ""));
  };

  function draft(body: string | null): StoredApplication {
    const at = new Date(now()).toISOString();
    made += 1;
    const content = body === null ? strangersApplication : contentOf(body);
    return {
      applicationId: `${prefix}-${made}`,
      status: "RECEIVED",
      statusReasons: [],
      ...content,
      policy: { ...content.policy, policyNumber: null },
      premium: null,
      payment: null,
      documents: [],
      createdAt: at,
      updatedAt: at,
    } as StoredApplication;
  }

  function found(query: string): object {
    const { clientAfm, limit, start } = Object.fromEntries(new URLSearchParams(query));
    const [from, size] = [Number(start ?? 1), Number(limit ?? 20)];
    const all = carriedOut().filter(({ holder }) => holder.afm === clientAfm);
    const items = all.toReversed().slice(from - 1, from - 1 + size);
    return { items, start: from, limit: size, total: all.length };
  }

  return { receipts, honestAnswer };
}

/** Application of a person who is not a customer of the test. */
export const strangersApplication: ApplicationContent = {
  policy: { startDate: "2031-01-01", endDate: "2032-01-01" },
  vehicle: { plateNumber: "ΖΖΖ-9999", manufacturerCode: "FIA", modelCode: "PANDA" },
  holder: { afm: "000000001", fullName: "Κανένας" },
};

/** Returns the content of a body that the gateway has checked. */
function contentOf(body: string): ApplicationContent {
  return { ...strangersApplication, ...JSON.parse(body) };
}
