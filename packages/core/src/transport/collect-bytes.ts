/** Reads a stream to its end. */
export async function collectBytes(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return joinBytes(chunks);
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const chunk of chunks) {
    joined.set(chunk, end);
    end += chunk.byteLength;
  }
  return joined;
}
