/** A client's id and secret as sent. */
export interface ClientCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

const filled = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** RFC 6749, 2.3.1: the header wins over the fields of the body. */
export function clientCredentials(
  authorization: string | undefined,
  fields: Readonly<Record<string, unknown>>,
): ClientCredentials {
  const [, encoded] = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization ?? '') ?? [];
  const plain = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = plain.indexOf(':');
  if (colon < 0) return { clientId: filled(fields['client_id']), clientSecret: filled(fields['client_secret']) };
  return { clientId: decoded(plain.slice(0, colon)), clientSecret: decoded(plain.slice(colon + 1)) };
}

/** Some clients encode what is between the colons, others do not; neither ids nor secrets hold anything to encode. */
function decoded(part: string): string | undefined {
  try {
    return filled(decodeURIComponent(part));
  } catch {
    return filled(part);
  }
}
