export {
  contentOf,
  type IsOwn,
  type SoapForm,
  type SoapMessage,
  type SoapVersion,
  soapFault,
  soapHeaders,
  soapMessageIn,
  writeSoap,
} from "./message.ts";
export {
  type PublishedSoap,
  type PublishedSoapCall,
  type PublishedSoapCalls,
  publishedSoap,
} from "./published-soap.ts";
export { type SoapCall, type SoapDialect, type SoapRequest, soapDialect } from "./soap-dialect.ts";
export { parseXml, readXml, writeXml, type XmlAttribute, type XmlElement } from "./xml.ts";
export type { XmlScalar } from "./xml-scalars.ts";
export type { XmlField, XmlMessage, XmlType, XmlTypes } from "./xml-values.ts";
