import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { newMark } from '../../kernel/ids/ids.js';
import { appMentioned, linkShared } from '../events/app-events.js';
import type { EventPlace } from '../events/define-chat-event.js';
import { formatTs } from '../store/message-ts.js';
import { APPS_CONCERNED } from './app-message-events.queries.js';

interface AppConcerned extends Record<string, unknown> {
  id: string;
  botUserId: string;
  botId: string;
  domains: unknown;
  isMember: boolean;
}

type Message = Readonly<Record<string, unknown>>;

/** What a message says to apps: the users it mentions, and its links. */
interface MessageSubjects {
  readonly message: Message;
  readonly mentions: ReadonlySet<string>;
  readonly links: readonly string[];
}

const MENTION = /<@([UW][0-9A-Z]+)(?:\|[^>]*)?>/g;
const LINK = /<(https?:\/\/[^\s|>]+)(?:\|[^>]*)?>/g;

/** Events of a message for apps that it mentions or whose links it contains. */
@Injectable()
export class AppMessageEvents {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** Whether a message about to be stored may concern an app; nearly none does, and costs nothing. @param draft with its JSON without the end */
  async mayConcern(place: EventPlace, draft: { open: string; hidesLinks?: boolean | undefined }): Promise<boolean> {
    const said = readOpen(draft.open, draft.hidesLinks);
    if (!said || place.conversation.type === 'im') return false;
    return (await this.db.read<AppConcerned>(APPS_CONCERNED, this.values(place, said))).length > 0;
  }

  /** Records events for the apps that a new message concerns, right after its own. @param wire its JSON text */
  async recordPosted(tx: Tx, place: EventPlace, wire: string, hidesLinks?: boolean): Promise<void> {
    const said = readOpen(wire.slice(0, -1), hidesLinks);
    if (!said || place.conversation.type === 'im') return;
    const apps = await tx.query<AppConcerned>(APPS_CONCERNED, this.values(place, said));
    const ts = String(said.message['ts']);
    for (const app of apps) this.recordMentions(tx, place, app, said, ts);
    for (const app of apps) this.recordSharedLinks(tx, place, app, said, ts);
  }

  /** The same of a new version: apps that it mentions and the version before did not. */
  async recordChanged(tx: Tx, place: EventPlace, wire: string, previous: string): Promise<void> {
    const said = readOpen(wire.slice(0, -1));
    if (!said || said.mentions.size === 0 || place.conversation.type === 'im') return;
    const before = readOpen(previous.slice(0, -1))?.mentions ?? new Set();
    const mentions = new Set([...said.mentions].filter((id) => !before.has(id)));
    if (mentions.size === 0) return;
    const fresh = { ...said, mentions, links: [] };
    const apps = await tx.query<AppConcerned>(APPS_CONCERNED, this.values(place, fresh));
    const now = formatTs(this.clock.nowMicros());
    for (const app of apps) this.recordMentions(tx, place, app, fresh, now);
  }

  private values(place: EventPlace, said: MessageSubjects): unknown[] {
    return [place.workspaceId, [...said.mentions], said.links.length > 0, place.conversation.id];
  }

  private recordMentions(
    tx: Tx,
    place: EventPlace,
    app: AppConcerned,
    { message, mentions }: MessageSubjects,
    eventTs: string,
  ): void {
    if (!mentions.has(app.botUserId) || !app.isMember || isBy(app, message)) return;
    tx.record(appMentioned({ ...place, appId: app.id, message, eventTs }));
  }

  private recordSharedLinks(tx: Tx, place: EventPlace, app: AppConcerned, said: MessageSubjects, ts: string): void {
    const { message } = said;
    if (isBy(app, message) || (place.conversation.type !== 'public' && !app.isMember)) return;
    const links = said.links.flatMap((url) => {
      const domain = domainOf(url, app.domains);
      return domain === undefined ? [] : [{ url, domain }];
    });
    if (links.length === 0) return;
    tx.record(
      linkShared({
        ...place,
        appId: app.id,
        userId: message['user'] as string | undefined,
        ts,
        threadTs: message['thread_ts'] as string | undefined,
        links,
        isMember: app.isMember,
        unfurlId: `${place.conversation.id}.${ts}.${newMark(24)}`,
        eventTs: ts,
      }),
    );
  }
}

const isBy = (app: AppConcerned, message: Message): boolean =>
  message['user'] === app.botUserId || message['bot_id'] === app.botId;

/** Undefined when the message plainly says nothing to any app. */
function readOpen(open: string, hidesLinks = false): MessageSubjects | undefined {
  if (!open.includes('<@') && !open.includes('"user_id"') && !open.includes('<http')) return undefined;
  const message = JSON.parse(`${open}}`) as Message;
  const text = String(message['text'] ?? '');
  const mentions = new Set<string>();
  const read = (value: unknown): void => {
    if (typeof value === 'string') for (const [, id] of value.matchAll(MENTION)) mentions.add(id as string);
  };
  read(text);
  readBlocks(message['blocks'], read, mentions);
  for (const attachment of Array.isArray(message['attachments']) ? (message['attachments'] as Message[]) : []) {
    for (const key of ['text', 'pretext', 'fallback']) read(attachment[key]);
  }
  const links = hidesLinks ? [] : [...new Set([...text.matchAll(LINK)].map(([, url]) => url as string))];
  return mentions.size === 0 && links.length === 0 ? undefined : { message, mentions, links };
}

/** Texts of mrkdwn and plain text objects, and users in rich text, however deep. */
function readBlocks(value: unknown, read: (text: unknown) => void, mentions: Set<string>): void {
  if (Array.isArray(value)) {
    for (const one of value) readBlocks(one, read, mentions);
  } else if (typeof value === 'object' && value !== null) {
    const { type, text, user_id: userId } = value as Message;
    if (type === 'mrkdwn' || type === 'plain_text') read(text);
    if (type === 'user' && typeof userId === 'string') mentions.add(userId);
    for (const one of Object.values(value)) readBlocks(one, read, mentions);
  }
}

/** Of an app's domains the one that a link is under. */
function domainOf(url: string, domains: unknown): string | undefined {
  const href = url.replaceAll('&amp;', '&');
  if (!Array.isArray(domains) || !URL.canParse(href)) return undefined;
  const { hostname } = new URL(href);
  return domains.find(
    (domain): domain is string =>
      typeof domain === 'string' &&
      (hostname === domain.toLowerCase() || hostname.endsWith(`.${domain.toLowerCase()}`)),
  );
}
