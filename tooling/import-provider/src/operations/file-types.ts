import { type FileType, pdf } from "@insurance-gateway/core/contract";

/** File types of insurers' answers; the first bytes are defined in the standards of the formats. */
const knownFileTypes: readonly FileType[] = [
  pdf,
  { mediaType: "image/png", extension: "png", signature: "\u0089PNG\r\n\u001a\n" },
  { mediaType: "image/jpeg", extension: "jpg", signature: "\u00ff\u00d8\u00ff" },
  { mediaType: "image/gif", extension: "gif", signature: "GIF8" },
  { mediaType: "application/zip", extension: "zip", signature: "PK" },
  { mediaType: "application/gzip", extension: "gz", signature: "\u001f\u008b" },
  { mediaType: "application/xml", extension: "xml" },
  { mediaType: "application/msword", extension: "doc" },
  { mediaType: "application/vnd.ms-excel", extension: "xls" },
  {
    mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    extension: "docx",
    signature: "PK",
  },
  {
    mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    extension: "xlsx",
    signature: "PK",
  },
];

/** Returns the file type of a media type. */
export function fileTypeOf(mediaType: string): FileType {
  return (
    knownFileTypes.find((type) => type.mediaType === mediaType) ?? { mediaType, extension: "bin" }
  );
}
