import { keepAnswer, keepBody, type Draft, type SentAnswer } from './entry.js';

/*
 * How entries are stored: many together, as the texts of one row. `heads` is JSON, in the order of the timeline: the id
 * of an event, or `[at, wall, kind, bytes, {short fields}]`. `bodies` has the long fields of those that are no events.
 */

/** The most entries of a page. */
export const MAX_PAGE_ENTRIES = 500;
/** A page with this many characters takes no more entries. */
export const MAX_PAGE_LENGTH = 256 * 1024;

/** Entries of these kinds are marks: waits begin at the last one. */
const MARKS: ReadonlySet<string> = new Set(['seed', 'reset']);

/** JSON contains neither of these characters: it escapes them in strings. */
const BODY_END = '\u001e';
/** Marks bodies with an answer apart: a cut one as plain text, or (twice) the number of the body with the same one. */
const APART = '\u001f';

/** An answer as it is stored; one object for all calls with the same. */
interface KeptAnswer {
  readonly sent: SentAnswer;
  readonly text: string;
  readonly isJson: boolean;
  readonly cutFrom: number | undefined;
}

/** An entry as texts. */
export interface Rendered {
  readonly tenantId: number;
  readonly atMs: number | null;
  readonly wallMs: number;
  readonly kind: string;
  readonly head: string;
  /** The request that it stands for or that caused it. */
  readonly request: unknown;
  /** The long fields but `answer`, separated by commas. */
  readonly fields: string;
  readonly answer: KeptAnswer | undefined;
  readonly bytes: number;
}

/** Renders entries that are written together: equal answers of a method are examined and stored once. */
export class Renderer {
  private readonly answers = new Map<string, KeptAnswer>();

  render({ tenantId, atMs, wallMs, kind, head, body, answer: sent, cutFrom }: Draft): Rendered {
    const answer = sent && this.answerOf(`${tenantId} ${String(head['method'])}`, sent);
    const length = answer?.cutFrom ?? cutFrom;
    const short = JSON.stringify(length === undefined ? head : { ...head, truncated: true, length });
    const fields: string[] = [];
    for (const key in body) if (body[key] !== undefined) fields.push(`"${key}":${body[key]}`);
    const long = fields.join(',');
    const request = head['request_id'] ?? head['cause'];
    const bytes = short.length + long.length + (answer?.text.length ?? 0);
    return { tenantId, atMs, wallMs, kind, head: short, request, fields: long, answer, bytes };
  }

  private answerOf(method: string, sent: SentAnswer): KeptAnswer {
    const known = this.answers.get(method);
    if (known && isSame(known.sent, sent)) return known;
    const { payload, contentType, isOwn } = sent;
    const kept = (isOwn ? keepAnswer : keepBody)(payload, contentType);
    const isJson = 'json' in kept;
    const answer = { sent, text: isJson ? kept.json : kept.text, isJson, cutFrom: kept.cutFrom };
    this.answers.set(method, answer);
    return answer;
  }
}

const isSame = (one: SentAnswer, other: SentAnswer): boolean =>
  one.payload === other.payload && one.contentType === other.contentType && one.isOwn === other.isOwn;

/** An event in a page. */
export interface EventPlace {
  readonly id: number;
  readonly wallMs: number;
  readonly bytes: number;
}

/** A page as it is stored. */
export interface Page {
  readonly entries: number;
  readonly wallMs: number;
  readonly kinds: ReadonlySet<string>;
  /** The number of its last mark, from 1; 0: none. */
  readonly mark: number;
  readonly events: readonly number[];
  readonly heads: string;
  readonly bodies: string;
  readonly bytes: number;
}

/** Collects entries up to the size of a page. */
export class PageBuilder {
  private readonly heads: (string | number)[] = [];
  private readonly bodies: string[] = [];
  private readonly answers = new Map<KeptAnswer, number>();
  private readonly kinds = new Set<string>();
  private readonly events: number[] = [];
  private length = 0;
  private bytes = 0;
  private wallMs = 0;
  private mark = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxLength: number,
  ) {}

  get isFull(): boolean {
    return this.heads.length >= this.maxEntries || this.length >= this.maxLength;
  }

  get isEmpty(): boolean {
    return this.heads.length === 0;
  }

  addEvent({ id, wallMs, bytes }: EventPlace): void {
    this.heads.push(id);
    this.events.push(id);
    this.count('event', wallMs, bytes);
  }

  /** @param atMs by the sandbox's clock */
  add({ wallMs, kind, head, fields, answer, bytes }: Rendered, atMs: number): void {
    this.heads.push(`[${atMs},${wallMs},"${kind}",${bytes},${head}]`);
    const body = answer ? this.bodyOf(fields, answer) : `{${fields}}`;
    this.bodies.push(body);
    this.length += head.length + body.length;
    this.count(kind, wallMs, bytes);
    if (MARKS.has(kind)) this.mark = this.heads.length;
  }

  private bodyOf(fields: string, answer: KeptAnswer): string {
    const known = this.answers.get(answer);
    if (known !== undefined) return `${APART}{${fields}}${APART}${APART}${known}`;
    this.answers.set(answer, this.bodies.length);
    return answer.isJson
      ? `{${fields}${fields === '' ? '' : ','}"answer":${answer.text}}`
      : `${APART}{${fields}}${APART}${answer.text}`;
  }

  private count(kind: string, wallMs: number, bytes: number): void {
    this.kinds.add(kind);
    this.wallMs = Math.max(this.wallMs, wallMs);
    this.bytes += bytes;
  }

  build(): Page {
    const { kinds, mark, events, wallMs, bytes } = this;
    const [heads, bodies] = [`[${this.heads.join(',')}]`, this.bodies.join(BODY_END)];
    return { entries: this.heads.length, wallMs, kinds, mark, events, heads, bodies, bytes };
  }
}

type Fields = Record<string, unknown>;

/** The short fields of an entry that is no event. */
export type StoredHead = readonly [at: number, wall: number, kind: string, bytes: number, head: Fields];

/** What a stored page has, in order: ids of events, and other entries. */
export const readHeads = (heads: string): readonly (number | StoredHead)[] =>
  JSON.parse(heads) as (number | StoredHead)[];

/** The long fields of a page's entries, by their number among those that are no events. */
export class StoredBodies {
  private readonly texts: readonly string[];

  constructor(bodies: string) {
    this.texts = bodies.split(BODY_END);
  }

  at(n: number): Fields {
    const text = this.texts[n] ?? '{}';
    if (!text.startsWith(APART)) return JSON.parse(text) as Fields;
    const end = text.indexOf(APART, 1);
    const fields = JSON.parse(text.slice(1, end)) as Fields;
    const answer = text.slice(end + 1);
    return { ...fields, answer: answer.startsWith(APART) ? this.at(Number(answer.slice(1)))['answer'] : answer };
  }
}
