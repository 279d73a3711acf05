import { writeFileSync } from 'node:fs';
import { cleanText } from '../../kernel/text/clean.js';
import { OperatorError } from '../fatal-error.js';
import type { ReportFile } from './options.js';
import type { Outcome } from './outcome.js';
import type { Tally } from './tally.js';

/** What a report holds, as `--report json=FILE` writes it (docs/reference/reach.md#reports). */
export interface Report extends Outcome {
  readonly version: 1;
  readonly command: readonly string[];
  readonly exit_code: number;
  readonly signal: string | null;
  readonly seconds: number;
  readonly server: string;
  readonly sandbox: string;
  readonly kept: boolean;
  readonly hosts: { readonly led: Tally; readonly passed: Tally; readonly refused: Tally };
  /** The hash of the sandbox's state at the end; null where the server has none. */
  readonly state: string | null;
}

/** Lines of each kind that the summary shows at most. */
const LINES = 10;

const times = (count: number): string => `(${count} time${count === 1 ? '' : 's'})`;
const sum = (tally: Tally): number => tally.entries.reduce((all, [, count]) => all + count, 0);

/** What `--strict` fails for. */
export const isFaulty = ({ calls, deliveries, hosts }: Report): boolean =>
  calls.unknown > 0 || deliveries.failed > 0 || hosts.refused.size > 0;

/** The lines of a summary. */
export function summaryOf(report: Report): string[] {
  const { calls, deliveries, hosts, sandbox, kept } = report;
  const first =
    `${calls.total} calls (${calls.ok} ok, ${calls.refused} refused, ${calls.unknown} unknown), ` +
    `${deliveries.total} deliveries (${deliveries.failed} failed), ` +
    `${hosts.passed.size} hosts passed, ${hosts.refused.size} refused; sandbox ${sandbox} ${kept ? 'kept' : 'deleted'}`;
  return [
    first,
    ...unknownLines(report).slice(0, LINES),
    ...failureLines(report).slice(0, LINES),
    ...refusedLines(report).slice(0, LINES),
  ];
}

const unknownLines = ({ unknown }: Report): string[] =>
  unknown.map(({ what, times: count }) => `unknown ${what} ${times(count)}`);
const failureLines = ({ deliveries }: Report): string[] =>
  deliveries.failures.map(({ event, url, error }) => `failed delivery of ${event} to ${url ?? 'a socket'}: ${error}`);
const refusedLines = ({ hosts }: Report): string[] =>
  hosts.refused.entries.map(([host, count]) => `refused ${host} ${times(count)}`);

/** @throws OperatorError when a file cannot be written */
export function writeReports(files: readonly ReportFile[], report: Report): void {
  for (const { format, file } of files) {
    try {
      writeFileSync(file, format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : junitOf(report));
    } catch (error) {
      throw new OperatorError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
    }
  }
}

/** Four cases, each failed for what its lines say. */
function junitOf(report: Report): string {
  const { exit_code: code, signal, calls, deliveries, hosts, seconds } = report;
  const ended = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  const cases: [string, string[], string][] = [
    ['command', code === 0 ? [] : [`${report.command.join(' ')} ${ended}`], ended],
    ['calls', unknownLines(report), `${calls.total} calls, ${calls.ok} ok, ${calls.refused} refused`],
    ['deliveries', failureLines(report), `${deliveries.total} deliveries, ${deliveries.done} done`],
    ['hosts', refusedLines(report), `${sum(hosts.led)} requests led, ${hosts.passed.size} hosts passed`],
  ];
  const failures = cases.filter(([, lines]) => lines.length > 0).length;
  const body = cases.map(([name, lines, text]) => {
    const failure =
      lines.length === 0
        ? ''
        : `<failure message="${escaped(lines[0] as string)}">${escaped(lines.join('\n'))}</failure>`;
    const time = name === 'command' ? seconds : 0;
    return `  <testcase classname="understudy run" name="${name}" time="${time}">${failure}<system-out>${escaped(text)}</system-out></testcase>\n`;
  });
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<testsuite name="understudy run" tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="${seconds}">\n` +
    `${body.join('')}</testsuite>\n`
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Text of an XML document: what XML 1.0 cannot hold is left out. */
const escaped = (text: string): string =>
  cleanText(text)
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"\n]/g, (character: string) => ENTITIES[character] as string);
