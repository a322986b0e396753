import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";
import type { ObjectNode } from "../src/schemas/model.ts";
import { temporaryFolder } from "./sample.ts";

/** Writes a WSDL with one operation whose request is the element `op`, and further files. Returns the WSDL's path. */
export function wsdlWith(
  schema: string,
  files: Readonly<Record<string, string>> = {},
  operation = "op",
): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ ...files, "main.wsdl": wsdl(schema, operation) })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, "main.wsdl");
}

/** Returns the text of a WSDL with one operation. */
export function wsdl(schema: string, operation: string): string {
  return `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="u:a" xmlns:t="u:a"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
    <types><x:schema targetNamespace="u:a" elementFormDefault="qualified">${schema}</x:schema></types>
    <message name="in"><part name="p" element="t:op"/></message>
    <message name="out"><part name="p" element="t:opResponse"/></message>
    <portType name="P"><operation name="${operation}"><input message="t:in"/><output message="t:out"/></operation></portType>
    <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
      <operation name="${operation}"><s:operation soapAction="op"/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation></binding>
    <service name="S"><port name="P" binding="t:B"><s:address location="http://insurer.example/s"/></port></service>
  </definitions>`;
}

/** Returns an element that contains a sequence. */
export function element(name: string, inside: string): string {
  return `<x:element name="${name}"><x:complexType><x:sequence>${inside}</x:sequence></x:complexType></x:element>`;
}

/** Returns an element with a whole number. */
export function int(name: string, more = ""): string {
  return `<x:element name="${name}" type="x:int" ${more}/>`;
}

/** Returns a type that extends another type with a sequence. */
export function extending(name: string, base: string, inside: string): string {
  return `<x:complexType name="${name}"><x:complexContent><x:extension base="t:${base}"><x:sequence>${inside}</x:sequence></x:extension></x:complexContent></x:complexType>`;
}

/** The element of the operation's answer. */
export const answer: string = element("opResponse", '<x:element name="id" type="x:token"/>');

/** Imports a WSDL whose request element has this content. */
export function importedWith(inside: string, more = ""): ImportedProvider {
  return importing(wsdlWith(element("op", inside) + answer + more))();
}

/** Returns a function that imports all operations of a WSDL. */
export function importing(from: string): () => ImportedProvider {
  return () => importProvider({ provider: "provider-x", from, all: true });
}

/** Returns the schema of the request's body. */
export function nodeOf({ endpoints }: ImportedProvider): ObjectNode | undefined {
  const node = endpoints[0]?.body?.media[0]?.definition.node;
  return node?.type === "object" ? node : undefined;
}

/** Returns the declared fields of the request's body. */
export function fieldsOf(imported: ImportedProvider): ObjectNode["fields"] | undefined {
  return nodeOf(imported)?.fields;
}

/** Returns name, presence and schema of each field of the request's body. */
export function bodyOf(imported: ImportedProvider): unknown {
  return fieldsOf(imported)?.map(({ name, required, schema }) => [name, required, schema]);
}
