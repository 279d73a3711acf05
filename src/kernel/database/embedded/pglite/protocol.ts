/**
 * The parts of PostgreSQL's wire protocol (version 3) that the embedded database has to understand: message boundaries,
 * which messages the server answers, and the names of prepared statements.
 */
export const Message = {
  bind: 0x42, // B
  close: 0x43, // C
  describe: 0x44, // D
  flush: 0x48, // H
  functionCall: 0x46, // F
  parse: 0x50, // P
  query: 0x51, // Q
  sync: 0x53, // S
  terminate: 0x58, // X
} as const;

/** Untagged first messages, by their code. Everything else there is a start-up with a protocol version. */
export const Startup = { cancel: 80_877_102, tls: 80_877_103, gssEncryption: 80_877_104 } as const;

/** A typed message of strings, each ended by a zero byte. */
function message(type: number, ...strings: string[]): Buffer {
  const body = Buffer.from(strings.map((value) => `${value}\0`).join(''));
  const out = Buffer.allocUnsafe(5 + body.length);
  out[0] = type;
  out.writeInt32BE(4 + body.length, 1);
  body.copy(out, 5);
  return out;
}

export const query = (sql: string): Buffer => message(Message.query, sql);
export const sync = (): Buffer => message(Message.sync);
export const closeStatement = (name: string): Buffer => message(Message.close, `S${name}`);

/** The server's answer to a successful start-up: there is no password, and the session is always ready. */
export function welcome(version: string, id: number): Buffer {
  const status = (name: string, value: string): Buffer => message(0x53, name, value);
  return Buffer.concat([
    Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]), // AuthenticationOk
    status('server_version', version),
    status('server_encoding', 'UTF8'),
    status('client_encoding', 'UTF8'),
    status('DateStyle', 'ISO, MDY'),
    status('TimeZone', 'UTC'),
    status('integer_datetimes', 'on'),
    status('standard_conforming_strings', 'on'),
    Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, id & 0xff, 0, 0, 0, 0]), // BackendKeyData
    Buffer.from([0x5a, 0, 0, 0, 5, 0x49]), // ReadyForQuery, idle
  ]);
}

/** The offset of a prepared statement's name in a message, or -1. */
function statementNameAt(bytes: Buffer): number {
  switch (bytes[0]) {
    case Message.parse:
      return 5;
    case Message.bind:
      return bytes.indexOf(0, 5) + 1; // after the portal's name
    case Message.describe:
    case Message.close:
      return bytes[5] === 0x53 ? 6 : -1;
    default:
      return -1;
  }
}

/** The named prepared statement that a message creates, uses or closes; null for the unnamed one or none. */
export function statementName(bytes: Buffer): string | null {
  const at = statementNameAt(bytes);
  if (at < 0 || bytes[at] === 0) return null;
  return bytes.toString('utf8', at, bytes.indexOf(0, at));
}

/**
 * The same message with `prefix` before the statement's name. Only for messages in which `statementName` finds a name.
 */
export function withPrefix(bytes: Buffer, prefix: string): Buffer {
  const at = statementNameAt(bytes);
  const out = Buffer.concat([bytes.subarray(0, at), Buffer.from(prefix), bytes.subarray(at)]);
  out.writeInt32BE(out.length - 1, 1);
  return out;
}
