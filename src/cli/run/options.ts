import { InvalidArgumentError } from 'commander';
import { nearest } from '../../kernel/config/unknown-settings.js';

/** What `--set` may name. */
export const FIELDS = [
  'bot_token',
  'user_token',
  'app_token',
  'signing_secret',
  'verification_token',
  'api_key',
  'control_token',
  'team_id',
  'app_id',
  'bot_user_id',
  'api_url',
  'linear_url',
  'mcp_chat_url',
  'mcp_issues_url',
] as const;

/** Where a report goes. */
export interface ReportFile {
  readonly format: 'json' | 'junit';
  readonly file: string;
}

/** The options of `understudy run`. */
export interface RunOptions {
  readonly server?: string;
  readonly new?: boolean;
  readonly seed?: string;
  readonly name?: string;
  /** Seconds. */
  readonly ttl: number;
  readonly label?: Record<string, string>;
  readonly methods: 'core' | 'all';
  readonly sandbox?: string;
  readonly from?: string;
  /** By name or id. */
  readonly pool?: string;
  readonly keep?: boolean;
  readonly app?: string;
  /** Fields by the variable that holds them. */
  readonly set?: Record<string, string>;
  readonly offline?: boolean;
  readonly allow?: string[];
  readonly intercept: boolean;
  readonly only?: 'slack' | 'linear';
  readonly java?: boolean;
  readonly strict?: boolean;
  readonly report?: ReportFile[];
  readonly quiet?: boolean;
}

/** `NAME=FIELD`. @throws InvalidArgumentError (exit code 2) */
export function variable(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, field] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || field === undefined)
    throw new InvalidArgumentError('must be such as SLACK_TOKEN=bot_token');
  if (!(FIELDS as readonly string[]).includes(field)) {
    const near = nearest(field, FIELDS, 4);
    throw new InvalidArgumentError(
      `there is no field ${field}${near === undefined ? `: it is one of ${FIELDS.join(', ')}` : `: did you mean ${near}?`}`,
    );
  }
  return { ...before, [name]: field };
}

/** `json=FILE` or `junit=FILE`. @throws InvalidArgumentError (exit code 2) */
export function reportFile(text: string, before: ReportFile[] = []): ReportFile[] {
  const [, format, file] = /^(json|junit)=(.+)$/.exec(text) ?? [];
  if (format === undefined || file === undefined) throw new InvalidArgumentError('must be json=FILE or junit=FILE');
  return [...before, { format: format as ReportFile['format'], file }];
}

/** `HOST` or `*.suffix`. @throws InvalidArgumentError (exit code 2) */
export function allowedHost(text: string, before: string[] = []): string[] {
  if (!/^(?:\*\.)?[\w.:-]+$/.test(text)) throw new InvalidArgumentError('must be a host, or *. and the end of one');
  return [...before, text];
}
