import type { LoggerService } from '@nestjs/common';
import { pino, type Level, type Logger } from 'pino';
import type { Settings } from '../config/settings.js';

/** Never logged, at any depth. */
const SECRETS = [
  'token',
  'password',
  'secret',
  'authorization',
  'accessToken',
  'refreshToken',
  'access_token',
  'refresh_token',
  'apiKey',
  'api_key',
  'signing_secret',
  'bot_token',
  'user_token',
  'app_token',
  'control_token',
  'client_secret',
  'clientSecret',
  'code_verifier',
  'ticket',
];

/** Credentials that may appear in a message (such as a driver's error text). */
const CREDENTIAL = new RegExp(
  [
    'xox[bpe]-[A-Za-z0-9-]+',
    'x(?:app|wfp)-[A-Za-z0-9-]+',
    'lin_oauth_[0-9a-f]+',
    'svc_(?:api|wh|sbx)_[A-Za-z0-9]+',
    '\\b[0-9]{12}\\.[0-9]{13}\\.[0-9a-f]{64}\\b', // the code of an installation
    'eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+', // a JWT
    '(?<=:\\/\\/[^\\s:/@]*:)[^\\s@/]+(?=@)', // the password of a URL
    '(?<=\\/api\\/webhooks\\/incoming\\/[^\\s/"\']+\\/)[^\\s/"\']+', // the URL itself is the credential
    '(?<=\\/api\\/interactions\\/respond\\/)[^\\s/"\']+', // the same
    '(?<=\\/(?:upload\\/v1|uploads\\/put)\\/)[A-Za-z0-9]+', // the same for uploads
    '(?<=\\/mcp\\/)[A-Za-z0-9]{40}', // the same for tool servers by URL
    '(?<=[?&](?:ticket|code|state|signature)=)[^\\s&"\']+', // the ticket of an app's connection, what an installation leads to, what opens a file
    '(?<=\\b(?:Bearer|Basic) )[^\\s"\',]+',
  ].join('|'),
  'g',
);

export const redacted = (text: string): string => text.replace(CREDENTIAL, '[redacted]');

/** The process's log: pino on standard error, one line per entry. Standard output is for the results of commands. */
export class Log implements LoggerService {
  private constructor(readonly pino: Logger) {}

  static create(settings: Pick<Settings, 'logLevel' | 'logFormat'>): Log {
    const pretty = settings.logFormat === 'pretty' || (settings.logFormat === 'auto' && process.stderr.isTTY);
    const options = {
      level: settings.logLevel,
      base: { pid: process.pid },
      redact: { paths: [...SECRETS, ...SECRETS.map((name) => `*.${name}`), 'req.headers'], censor: '[redacted]' },
      serializers: {
        error: (error: unknown) => {
          const { name, message, code, stack } = error as Error & { code?: string };
          return error instanceof Error
            ? { name, code, message: redacted(message), stack: redacted(stack ?? '') }
            : redacted(String(error));
        },
      },
      formatters: { level: (label: string) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    };
    return new Log(pretty ? pino(options, prettyStream()) : pino(options, pino.destination({ dest: 2, sync: true })));
  }

  error(message: unknown, ...details: LogDetail[]): void {
    this.write('error', message, details);
  }
  warn(message: unknown, ...details: LogDetail[]): void {
    this.write('warn', message, details);
  }
  info(message: unknown, ...details: LogDetail[]): void {
    this.write('info', message, details);
  }
  /** Nest's own messages about modules and routes only help its developers. */
  log(message: unknown, ...details: LogDetail[]): void {
    this.write('debug', message, details);
  }
  debug(message: unknown, ...details: LogDetail[]): void {
    this.write('debug', message, details);
  }
  verbose(message: unknown, ...details: LogDetail[]): void {
    this.write('trace', message, details);
  }
  fatal(message: unknown, ...details: LogDetail[]): void {
    this.write('fatal', message, details);
  }

  /** Whether entries of this level are written, for entries that are expensive to make. */
  isEnabled(level: 'debug' | 'trace'): boolean {
    return this.pino.isLevelEnabled(level);
  }

  private write(level: Level, message: unknown, details: LogDetail[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const facts = Object.assign({}, ...details.map(factsOf)) as object;
    if (message instanceof Error) this.pino[level]({ error: message, ...facts }, redacted(message.message));
    else this.pino[level](facts, redacted(String(message)));
  }
}

/** Our facts; from Nest's loggers a stack, then the context, as strings. */
type LogDetail = object | string | undefined;

function factsOf(detail: LogDetail): object | undefined {
  if (typeof detail !== 'string') return detail;
  return /\n\s+at /.test(detail) ? { stack: redacted(detail) } : { context: redacted(detail) };
}

/** A readable line: time, level, message, then the facts. Simple enough to need no dependency. */
function prettyStream(): { write(line: string): void } {
  return {
    write(line: string): void {
      const { time, level, msg, pid: _pid, ...facts } = JSON.parse(line) as Record<string, unknown>;
      const error = facts['error'] as { stack?: string } | undefined;
      const stack = error?.stack ?? (facts['stack'] as string | undefined);
      delete facts['error'];
      delete facts['stack'];
      const rest = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : '';
      const clock = String(time).slice(11, 19);
      process.stderr.write(`${clock} ${String(level).padEnd(5)} ${String(msg)}${rest}\n${stack ? `${stack}\n` : ''}`);
    },
  };
}
