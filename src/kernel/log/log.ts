import type { LoggerService } from '@nestjs/common';
import { pino, type Level, type Logger } from 'pino';
import type { Settings } from '../config/settings.js';

/** Never written, wherever they stand in what is logged. */
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
  'ticket',
];

/** Credentials that found their way into a message (a driver's error text, say). */
const CREDENTIAL = new RegExp(
  [
    'xox[bpe]-[A-Za-z0-9-]+',
    'xapp-[A-Za-z0-9-]+',
    'svc_(?:api|wh|sbx)_[A-Za-z0-9]+',
    'eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+', // a JWT
    '(?<=:\\/\\/[^\\s:/@]*:)[^\\s@/]+(?=@)', // the password of a URL
    '(?<=\\/api\\/webhooks\\/incoming\\/[^\\s/"\']+\\/)[^\\s/"\']+', // who knows the URL may post
    '(?<=\\/api\\/interactions\\/respond\\/)[^\\s/"\']+', // the same
    '(?<=\\/upload\\/v1\\/)[A-Za-z0-9]+', // who knows the URL may upload
    '(?<=[?&]ticket=)[^\\s&"\']+', // who knows it opens the connection of an app
    '(?<=\\b(?:Bearer|Basic) )[^\\s"\',]+',
  ].join('|'),
  'g',
);

export const redacted = (text: string): string => text.replace(CREDENTIAL, '[redacted]');

/** The process's log: pino on standard error, one line an entry. Standard output belongs to what a person asked for. */
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
  /** Nest's own chatter about modules and routes is of use to those who change the code. */
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

  /** Whether entries of this level are written: for those whose making costs something. */
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

/** Facts of ours; from Nest's loggers a stack, then the context, as strings. */
type LogDetail = object | string | undefined;

function factsOf(detail: LogDetail): object | undefined {
  if (typeof detail !== 'string') return detail;
  return /\n\s+at /.test(detail) ? { stack: redacted(detail) } : { context: redacted(detail) };
}

/** A line a person can read: time, level, message, then the facts. No dependency for that. */
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
