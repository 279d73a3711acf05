import { callsOf, type History, type Violation } from '../history.js';

/** Nothing of one tenant is in another's answers, events or sockets. Texts begin with the name of their tenant. */
export function checkTenants({ calls, sockets, deliveries }: History): Violation[] {
  const foreign = (tenant: string, texts: readonly string[]): string | undefined =>
    texts.find((text) => !text.startsWith(`${tenant} `));
  const violations: Violation[] = [];
  for (const read of callsOf(calls, 'history', 'replies', 'search', 'issues', 'timeline')) {
    const text = foreign(read.tenant, textsOf(read));
    if (text !== undefined)
      violations.push({ kind: 'of another tenant', what: `${text} in ${read.tenant}`, calls: [read] });
  }
  for (const { id, tenant, heard } of sockets) {
    const text = foreign(
      tenant,
      heard.map((one) => one.text),
    );
    if (text !== undefined) violations.push({ kind: 'of another tenant', what: `${text} heard by ${id}`, calls: [] });
  }
  for (const { tenant, target, text } of deliveries) {
    if (foreign(tenant, [text]) !== undefined) {
      violations.push({ kind: 'of another tenant', what: `${text} delivered to ${target}`, calls: [] });
    }
  }
  return violations;
}

function textsOf(
  read: ReturnType<typeof callsOf<'history' | 'replies' | 'search' | 'issues' | 'timeline'>>[number],
): string[] {
  if (!read.answer) return [];
  if ('entries' in read.answer) return read.answer.entries.map(({ text }) => text);
  if ('texts' in read.answer) return [...read.answer.texts];
  if ('messages' in read.answer) return read.answer.messages.map(({ text }) => text);
  return read.answer.pages.flat().map((one) => ('title' in one ? one.title : one.text));
}
