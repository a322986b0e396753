export {
  type PublishedSoap,
  type PublishedSoapCall,
  type PublishedSoapCalls,
  publishedSoap,
} from "./published-soap.ts";
export { type SoapCall, type SoapDialect, soapDialect } from "./soap-dialect.ts";
export { parseXml, writeXml, type XmlAttribute, type XmlElement } from "./xml.ts";
export type { XmlField, XmlMessage, XmlScalar, XmlType, XmlTypes } from "./xml-values.ts";
