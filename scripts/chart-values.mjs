// The values of the Helm chart as rows of a table: path, default, and the comment above it. A value without a comment
// is an error.
import { parse } from 'yaml';

/** Objects that are set as a whole: their fields have no rows. */
const WHOLE = ['ingress.annotations', 'metrics.dashboard.labels', 'resources'];

/** @throws Error naming a value that no comment describes */
export function chartValues(text) {
  const values = parse(text);
  const rows = [];
  let comment = [];
  const path = [];
  for (const line of text.split('\n')) {
    const said = /^ *# ?(.*)$/.exec(line);
    const [, indent, key] = /^( *)([A-Za-z][\w.]*):/.exec(line) ?? [];
    if (said) comment.push(said[1]);
    // a comment that belongs to no value, as the file's first lines
    else if (line.trim() === '') comment = [];
    if (key === undefined) continue;
    path.splice(indent.length / 2, path.length, key);
    const name = path.join('.');
    if (WHOLE.some((whole) => name.startsWith(`${whole}.`))) continue;
    const value = path.reduce((at, each) => at[each], values);
    const isGroup = isMap(value) && Object.keys(value).length > 0 && !WHOLE.includes(name);
    if (comment.length === 0) throw new Error(`values.yaml: ${name} has no comment`);
    rows.push({ name, value: isGroup ? undefined : value, meaning: comment.join(' ') });
    comment = [];
  }
  return rows;
}

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
