import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity } from '../access/identity.js';
import { DirectMessages } from '../members/direct-messages.js';
import { MessagingError } from '../wire/codes.js';
import { USER_BY_NAME } from './act-names.queries.js';
import { withoutAt } from '../../kernel/text/names.js';

/** Resolves the names that people use to ids. */
@Injectable()
export class ActNames {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly directMessages: DirectMessages,
  ) {}

  /**
   * The id of a conversation: an id, `#name`, `name`, or the im with `U…` or `@name` (an app's name is its bot's),
   * which is made when missing.
   * @throws MessagingError channel_not_found
   */
  async conversation(person: Identity, named: string): Promise<string> {
    const conversation = await this.conversations.findByIdOrName(person, named);
    if (conversation) return conversation.id;
    const userId = named.startsWith('@')
      ? await this.find(person, named.slice(1), false)
      : /^U0[0-9A-Z]{9}$/.test(named)
        ? await this.find(person, named, false)
        : undefined;
    if (userId === undefined) throw new MessagingError('channel_not_found');
    return this.im(person, userId);
  }

  /** The im of two people, made without events when missing. */
  async im(person: Identity, userId: string): Promise<string> {
    return (await this.directMessages.open(person, [userId], { isJudged: false })).conversation.id;
  }

  /** Ids of users: ids, names, `@name`. @throws MessagingError user_not_found */
  async users(person: Identity, named: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const one of named) {
      const id = await this.find(person, withoutAt(one), false);
      if (id === undefined) throw new MessagingError('user_not_found');
      ids.push(id);
    }
    return ids;
  }

  /** The bot user of an app, by any of its names. @throws MessagingError user_not_found */
  async bot(person: Identity, named: string): Promise<string> {
    const id = await this.find(person, withoutAt(named), true);
    if (id === undefined) throw new MessagingError('user_not_found');
    return id;
  }

  /** By id or name; the default app when none is named. @throws RestError 404 app_not_found */
  async app(person: Identity, named: string | undefined): Promise<App> {
    const app = await this.apps.find(person.workspaceId, named ?? null);
    if (!app) throw new RestError(404, 'app_not_found');
    return app;
  }

  private async find(person: Identity, named: string, isBot: boolean): Promise<string | undefined> {
    const [row] = await this.db.read<{ id: string }>(USER_BY_NAME, [person.workspaceId, named, isBot]);
    return row?.id;
  }
}
