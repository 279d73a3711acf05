import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess } from '../access/apps-access.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity } from '../access/identity.js';
import { entityDetailsRequested } from '../events/app-events.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { EntityRequests } from '../entity/entity-requests.js';
import { Message } from '../store/message.entity.js';
import { formatTs, NO_SUCH_TS, parseTs } from '../store/message-ts.js';
import { Triggers } from '../surfaces/triggers.js';
import type { MessageMetadata } from '../wire/blocks.js';
import { MessagingError } from '../wire/codes.js';
import type { WorkObject } from '../wire/work-objects.js';
import { ActNames } from './act-names.js';
import type { Fields } from './fields.js';
import type { VerbResult, Verbs } from './verbs.js';

/** How long an app may take to present details, in seconds by the sandbox's clock. */
const TRIGGER_SECONDS = 30;

/** People's actions on work objects (docs/reference/chat.md#work-objects). */
@Injectable()
export class EntityVerbs {
  readonly all: Verbs;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly names: ActNames,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly triggers: Triggers,
    private readonly requests: EntityRequests,
  ) {
    this.all = {
      open_entity: { until: 'reply', isDirect: false, run: (person, fields) => this.open(person, fields) },
    };
  }

  private async open(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const ts = parseTs(fields.text('message_ts')) ?? NO_SUCH_TS;
    const conversation = await this.conversations.find(person, channel);
    if (!conversation) throw new MessagingError('channel_not_found');
    const message = await this.db.load((rows) => rows.findOneBy(Message, { conversationId: conversation.id, ts }));
    if (!message) throw new MessagingError('message_not_found');
    const entity = chosen(entitiesOf(message), fields);
    const app = entity && (await this.appOf(person, message, entity));
    if (!app) throw new RestError(404, 'entity_not_found');
    const { workspaceId, userId } = person;
    const place = eventPlaceOf(person, conversation);
    const owner = { workspaceId, appId: app.id, userId };
    const triggerId = await this.db.write(async (tx) => {
      const trigger = await this.triggers.issue(
        { ...owner, conversationId: conversation.id, seconds: TRIGGER_SECONDS },
        tx,
      );
      const at = { conversationId: conversation.id, messageTs: message.ts };
      await this.requests.ask(tx, { triggerId: trigger, ...owner, ...at, externalId: entity.external_ref.id });
      tx.record(
        entityDetailsRequested({
          ...place,
          ...owner,
          triggerId: trigger,
          entity,
          ts: formatTs(message.ts),
          threadTs: message.threadTs === null ? undefined : formatTs(message.threadTs),
          eventTs: formatTs(this.clock.nowMicros()),
        }),
      );
      return trigger;
    });
    const presented = async () => this.requests.presentedFor(triggerId);
    return {
      result: { trigger_id: triggerId },
      channel: conversation.id,
      isAnswered: async () => (await presented()) !== null,
      later: async () => {
        const shown = await presented();
        const error = shown && 'error' in shown ? shown.error : null;
        const details = shown && 'metadata' in shown ? shown.metadata : error === null ? shown : null;
        return { trigger_id: triggerId, details, error };
      },
    };
  }

  private async appOf(person: Identity, message: Message, entity: WorkObject) {
    const { app_id: ownId } = JSON.parse(message.wire) as { app_id?: string };
    const appId = entity.app_id ?? ownId;
    return appId === undefined ? null : this.apps.find(person.workspaceId, appId);
  }
}

function entitiesOf({ metadata }: Message): readonly WorkObject[] {
  return metadata === null ? [] : ((JSON.parse(metadata) as MessageMetadata).entities ?? []);
}

/** By one of its addresses or its id; the only one of the message where none is named. @throws BadRequestException */
function chosen(entities: readonly WorkObject[], fields: Fields): WorkObject | undefined {
  const url = fields.optional('url');
  const externalId = fields.optional('external_id');
  if (url === undefined && externalId === undefined) {
    if (entities.length > 1) throw new BadRequestException(['url or external_id must say which work object']);
    return entities[0];
  }
  return entities.find(
    (one) =>
      (url === undefined || one.url === url || one.app_unfurl_url === url) &&
      (externalId === undefined || one.external_ref.id === externalId),
  );
}
