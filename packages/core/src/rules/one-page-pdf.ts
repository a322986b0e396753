/** Returns a PDF page with one word (ISO 32000-1, 7.5): the objects, the table of their offsets, and the trailer. */
export function onePagePdf(): Uint8Array {
  const shown = "BT /F1 24 Tf 72 720 Td (Simulated) Tj ET";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let content = "%PDF-1.4\n";
  let table = "0000000000 65535 f \n";
  for (const [index, object] of objects.entries()) {
    table += `${String(content.length).padStart(10, "0")} 00000 n \n`;
    content += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const start = content.length;
  content += `xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\n`;
  return new TextEncoder().encode(`${content}startxref\n${start}\n%%EOF\n`);
}
