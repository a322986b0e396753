export { type SoapCall, type SoapDialect, soapDialect } from "./soap-dialect.ts";
export { parseXml, writeXml, type XmlElement } from "./xml.ts";
