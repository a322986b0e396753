import { generate } from "selfsigned";

/** Creates a certificate that expires on the first day of a year, and the certificate's key, both in PEM. */
export async function makeCertificate(
  year: number,
): Promise<{ readonly cert: string; readonly key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "gateway" }], {
    notAfterDate: new Date(Date.UTC(year, 0, 1)),
  });
  return { cert, key };
}
