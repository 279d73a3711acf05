/** Bodies are kept as sent; JSON and forms are parsed for display. */
export function parsedBody(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    const form = new URLSearchParams(body);
    if (!/^[\w.]+=/.test(body)) return body;
    return Object.fromEntries([...form].map(([key, value]) => [key, key === 'payload' ? parsedBody(value) : value]));
  }
}
