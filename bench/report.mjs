// Figures as Markdown: one section a bench, replaced in place, so that a part can be measured again alone. What people wrote
// about the figures, under FINDINGS, stays.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('RESULTS.md', import.meta.url));

const FINDINGS = '\n### What was found\n';

/** A section of its own for each release line of Node, where both are measured. */
export const withNode = (title) => `${title} (Node ${process.versions.node.split('.')[0]})`;

export const machine = () =>
  `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;

export const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2);

export function table(head, rows) {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** The rows of the table that a section has now, cell by cell. */
export function rowsOf(title) {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Prints a section and, with `--write`, puts it into bench/RESULTS.md. */
export function report(title, body) {
  const section = `## ${title}\n\n${body}\n`;
  console.log(`\n${section}`);
  if (!process.argv.includes('--write')) return;
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '# Results\n';
  const start = text.indexOf(`## ${title}\n`);
  if (start === -1) return writeFileSync(FILE, `${text.trimEnd()}\n\n${section}`);
  const next = text.indexOf('\n## ', start + 3);
  const before = next === -1 ? text.slice(start) : text.slice(start, next);
  const findings = before.indexOf(FINDINGS);
  writeFileSync(
    FILE,
    text.slice(0, start) +
      section +
      (findings === -1 ? '' : before.slice(findings)) +
      (next === -1 ? '' : text.slice(next)),
  );
}

export const verdict = (isMet) => (isMet ? 'met' : 'missed');
