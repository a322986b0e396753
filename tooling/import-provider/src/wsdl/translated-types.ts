import type { XmlType } from "@insurance-gateway/adapter/soap";
import type { JsonObject } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { Content, TypeLoss } from "./content-model.ts";
import type { Declared } from "./declared.ts";
import { documentationOf } from "./nodes.ts";

/** A complex type of the document. */
export interface TranslatedType {
  /** A name that is unique in the document; for a shared type, the name of its schema. */
  readonly name: string;
  /** True if schemas refer to the type by name; other types are written inline. */
  readonly isShared: boolean;
  /**
   * The content of the type, or the reason why the type cannot be declared. It is set when the type is read, because
   * types can refer to themselves.
   */
  content: TypeContent | ImportFault;
}

/** The content of a complex type. */
export interface TypeContent {
  readonly schema: JsonObject;
  readonly type: XmlType;
  readonly losses: readonly TypeLoss[];
}

/** The complex types of a document that have been named so far. */
export interface TranslatedTypes {
  /** Names and reads a type that is used only once. */
  add(title: string, read: () => Content, declared?: Declared): TranslatedType;
  /**
   * Names a shared type, once for each key. `readWaiting` reads the type later, because types can refer to each other
   * endlessly.
   */
  share(key: string, title: string, read: () => Content, declared: Declared): TranslatedType;
  /** Reads the shared types that were named. */
  readWaiting(): void;
  /** Returns the type of a field; undefined for a field without a complex type. */
  ofField(field: { readonly type?: string }): TranslatedType | undefined;
  /** Returns a type with all nested types. */
  reachedFrom(type: TranslatedType): readonly TranslatedType[];
}

/** Maximum number of types in a WSDL; more types are a mistake or an attack. */
const MAX_TYPES = 10_000;

/** Creates an empty collection of complex types. */
export function translatedTypes(): TranslatedTypes {
  const byName = new Map<string, TranslatedType>();
  const shared = new Map<string, TranslatedType>();
  const waiting: (() => void)[] = [];

  function named(title: string, isShared: boolean): TranslatedType {
    if (byName.size >= MAX_TYPES)
      throw new ImportFault(`The document has more than ${MAX_TYPES} types`);
    const name = freeName(title, byName);
    const content = new ImportFault("is a type that contains itself");
    const type: TranslatedType = { name, isShared, content };
    byName.set(name, type);
    return type;
  }

  const ofField: TranslatedTypes["ofField"] = ({ type }) =>
    type === undefined ? undefined : byName.get(type);
  return {
    add(title, read, declared) {
      const type = named(title, false);
      type.content = contentOf(read, declared);
      return type;
    },
    share(key, title, read, declared) {
      const known = shared.get(key);
      if (known !== undefined) return known;
      const type = named(title, true);
      shared.set(key, type);
      waiting.push(() => {
        type.content = contentOf(read, declared);
      });
      return type;
    },
    readWaiting() {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    },
    ofField,
    reachedFrom(type) {
      const reached = new Set([type]);
      // The loop also visits the types that the loop adds.
      for (const { content } of reached)
        if (!(content instanceof ImportFault))
          for (const inner of content.type.fields.map(ofField))
            if (inner !== undefined) reached.add(inner);
      return [...reached];
    },
  };
}

function freeName(title: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(title)) return title;
  for (let number = 2; ; number += 1)
    if (!taken.has(`${title}${number}`)) return `${title}${number}`;
}

/** Reports whether a type allows only empty elements and has no losses. */
export function isEmpty({ content }: TranslatedType): boolean {
  return (
    !(content instanceof ImportFault) &&
    content.type.fields.length === 0 &&
    content.losses.length === 0
  );
}

function contentOf(read: () => Content, declared: Declared | undefined): TypeContent | ImportFault {
  try {
    const { fields, losses, needsOneOf } = read();
    const description = declared && documentationOf(declared.node);
    // The namespace that most fields have is written only once, for the whole type.
    const [namespace] = fields.flatMap(({ field }) =>
      field.is === undefined ? [field.namespace ?? ""] : [],
    );
    return {
      schema: schemaOf({ fields, needsOneOf }, description),
      losses,
      type: {
        ...(namespace === undefined || namespace === "" ? {} : { namespace }),
        fields: fields.map(({ field }) => {
          const { namespace: own, ...rest } = field;
          const usual = field.is === undefined ? (namespace ?? "") : "";
          return own === undefined || own === usual ? rest : { ...rest, namespace: own };
        }),
      },
    };
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return error;
  }
}

function schemaOf(
  { fields, needsOneOf }: Pick<Content, "fields" | "needsOneOf">,
  description: string | undefined,
): JsonObject {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ field }) => field.name);
  const [first] = needsOneOf;
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(fields.map(({ field, schema }) => [field.name, schema])),
    // An object without fields would otherwise accept any field.
    ...(fields.length === 0 ? { additionalProperties: false } : {}),
    ...(first === undefined ? {} : { anyOf: first.map((names) => ({ required: names })) }),
  };
}
