/** The line of the part of a document that an error names by its path (`oauth_config.scopes.bot`, `users[0].name`). */
export async function lineOfPath(source: string, words: string): Promise<number | null> {
  const path = /([a-z_]+(?:(?:\.[a-z_]+)|(?:\[\d+\]))+|display_information|oauth_config|features|settings)/
    .exec(words)?.[1]
    ?.replace(/^manifest\./, '');
  if (path === undefined) return null;
  const { parseDocument, LineCounter, isNode } = await import('yaml');
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter });
  const keys = path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  for (let depth = keys.length; depth > 0; depth--) {
    const node = document.getIn(keys.slice(0, depth), true);
    if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
  }
  return 1;
}
