const ISO_DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/;

/**
 * `2026`, `2026-01`, `2026-01-02` or a full ISO 8601 time, from the year 1 to 9999; without a zone it is UTC. Undefined
 * when it is none.
 */
export function parseIsoDate(text: string): Date | undefined {
  const parts = ISO_DATE.exec(text);
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    parts;
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const millis = fraction.slice(0, 3).padEnd(3, '0');
  // Date would roll 30 February over into March: a day its month does not have is refused instead.
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  return withinYears(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}${offset}`));
}

/** PostgreSQL and four-digit years both end there; an invalid date is in no year. */
export function withinYears(date: Date): Date | undefined {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : undefined;
}
