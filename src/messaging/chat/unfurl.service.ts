import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { MessageAccess } from '../access/message-access.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import type { Message } from '../store/message.entity.js';
import { NO_SUCH_TS } from '../store/message-ts.js';
import type { Attachment, MessageMetadata } from '../wire/blocks.js';
import { MessagingError } from '../wire/codes.js';
import { linksIn } from '../wire/links.js';
import type { WorkObject } from '../wire/work-objects.js';
import { Revisions } from './revisions.service.js';
import type { ChatUnfurlArgs } from './unfurl.dto.js';

/** Adds an app's previews of links to a message, as attachments or as work objects: chat.unfurl. */
@Injectable()
export class Unfurls {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly messages: MessageAccess,
    private readonly revisions: Revisions,
  ) {}

  async add(caller: Caller, args: ChatUnfurlArgs): Promise<void> {
    const { place, unfurls = new Map<string, Attachment>(), metadata: entities = [] } = args;
    const conversation = await this.conversations.find(caller, place.channel);
    if (!conversation) throw new MessagingError('cannot_find_channel');
    const app = caller.app ? await this.apps.find(caller.workspaceId, caller.app.id) : null;
    await this.db.write(async (tx) => {
      await this.conversations.forUpdate(tx, caller, conversation.id);
      const message = await this.messages
        .forUpdate(tx, conversation, place.ts ?? NO_SUCH_TS)
        .catch((error: unknown) => {
          const isAbsent = error instanceof MessagingError && error.code === 'message_not_found';
          throw isAbsent ? new MessagingError('cannot_find_message') : error;
        });
      const urls = [...unfurls.keys(), ...entities.map((entity) => entity.app_unfurl_url ?? '')];
      if (!app || !urls.every((url) => mayUnfurl(app, message, url))) throw new MessagingError('cannot_unfurl_url');
      if (urls.length === 0) return;
      await this.revisions.rewire(tx, eventPlaceOf(caller, conversation), message, {
        wire: unfurls.size > 0 ? unfurled(message, app, unfurls) : message.wire,
        metadata: entities.length > 0 ? withEntities(message, app, entities) : message.metadata,
      });
    });
  }
}

/** Whether the link is in the message, and its host is one of the app's `unfurl_domains` or a subdomain. */
function mayUnfurl(app: App, message: Message, url: string): boolean {
  if (!linksIn(message.text).includes(url) || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  const domains = (app.manifest.features as { unfurl_domains?: unknown } | undefined)?.unfurl_domains;
  return (
    Array.isArray(domains) &&
    domains.some((domain) => typeof domain === 'string' && isUnder(hostname, domain.toLowerCase()))
  );
}

const isUnder = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** The message's wire text with the attachments added; an earlier one of the app for the same URL is replaced. */
function unfurled(message: Message, app: App, unfurls: ReadonlyMap<string, Attachment>): string {
  const wire = JSON.parse(message.wire) as Record<string, unknown> & { attachments?: Attachment[] };
  const attachments = [...(wire.attachments ?? [])];
  for (const [url, unfurl] of unfurls) {
    const known = attachments.findIndex((one) => one['app_unfurl_url'] === url && one['app_id'] === app.id);
    const ids = attachments.map(({ id }) => Number(id));
    const attachment = {
      ...unfurl,
      id: known === -1 ? Math.max(0, ...ids) + 1 : attachments[known]?.['id'],
      from_url: url,
      app_unfurl_url: url,
      is_app_unfurl: true,
      bot_id: app.botId,
      app_id: app.id,
    };
    if (known === -1) attachments.push(attachment);
    else attachments[known] = attachment;
  }
  return JSON.stringify({ ...wire, attachments });
}

/** The message's metadata with the app's work objects; an earlier one of the app for the same URL is replaced. */
function withEntities(message: Message, app: App, added: readonly WorkObject[]): string {
  const metadata = (message.metadata === null ? {} : JSON.parse(message.metadata)) as MessageMetadata;
  let entities = metadata.entities ?? [];
  for (const entity of added) {
    const isOther = (one: WorkObject): boolean => one.app_id !== app.id || one.app_unfurl_url !== entity.app_unfurl_url;
    entities = [...entities.filter(isOther), { ...entity, app_id: app.id }];
  }
  return JSON.stringify({ ...metadata, entities });
}
