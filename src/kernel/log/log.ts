import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { Settings } from '../config/settings.js';

/** Never written, wherever they stand in what is logged. */
const SECRETS = [
  'token',
  'password',
  'secret',
  'authorization',
  'accessToken',
  'refreshToken',
  'apiKey',
  'signing_secret',
  'bot_token',
  'user_token',
];

/** Credentials that found their way into a message (a driver's error text, say). */
const CREDENTIAL =
  /xox[bpe]-[A-Za-z0-9-]+|svc_api_[A-Za-z0-9]+|svc_wh_[A-Za-z0-9]+|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|(?<=:\/\/[^\s:/@]*:)[^\s@/]+(?=@)/g;

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

  error(message: string, facts: object | string = {}): void {
    this.pino.error(this.facts(facts), redacted(String(message)));
  }
  warn(message: string, facts: object | string = {}): void {
    this.pino.warn(this.facts(facts), redacted(String(message)));
  }
  info(message: string, facts: object | string = {}): void {
    this.pino.info(this.facts(facts), redacted(String(message)));
  }
  /** Nest's own chatter about modules and routes is of use to those who change the code. */
  log(message: string, facts: object | string = {}): void {
    this.debug(message, facts);
  }
  debug(message: string, facts: object | string = {}): void {
    this.pino.debug(this.facts(facts), redacted(String(message)));
  }
  verbose(message: string, facts: object | string = {}): void {
    this.pino.trace(this.facts(facts), redacted(String(message)));
  }
  fatal(message: string, facts: object | string = {}): void {
    this.pino.fatal(this.facts(facts), redacted(String(message)));
  }

  /** Nest passes its context, or a stack, as a string. */
  private facts(facts: object | string): object {
    return typeof facts === 'string' ? { context: redacted(facts) } : facts;
  }
}

/** A line a person can read: time, level, message, then the facts. No dependency for that. */
function prettyStream(): { write(line: string): void } {
  return {
    write(line: string): void {
      const { time, level, msg, pid: _pid, ...facts } = JSON.parse(line) as Record<string, unknown>;
      const error = facts['error'] as { stack?: string } | undefined;
      if (error) delete facts['error'];
      const rest = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : '';
      const clock = String(time).slice(11, 19);
      process.stderr.write(
        `${clock} ${String(level).padEnd(5)} ${String(msg)}${rest}\n${error?.stack ? `${error.stack}\n` : ''}`,
      );
    },
  };
}
