import { Injectable } from '@nestjs/common';
import type { Identity } from '../access/identity.js';
import { ChatDeleteArgs, ChatPostMessageArgs, ChatUpdateArgs } from '../chat/chat.dto.js';
import { ChatService } from '../chat/chat.service.js';
import { Revisions } from '../chat/revisions.service.js';
import {
  ConversationsInviteArgs,
  ConversationsJoinArgs,
  ConversationsLeaveArgs,
} from '../conversations/conversations.dto.js';
import { Membership } from '../conversations/membership.service.js';
import { ReactionsAddArgs, ReactionsRemoveArgs } from '../reactions/reactions.dto.js';
import { ReactionsService } from '../reactions/reactions.service.js';
import { parseArgs } from '../rpc/args/parse-args.js';
import { ActNames } from './act-names.js';
import type { Fields } from './fields.js';
import { inTypes, type VerbResult, type Verb, type Verbs } from './verbs.js';

/** People's actions in conversations: the same methods as for apps, with their rules and errors. */
@Injectable()
export class MessageVerbs {
  readonly all: Verbs;

  constructor(
    private readonly names: ActNames,
    private readonly chat: ChatService,
    private readonly revisions: Revisions,
    private readonly reactions: ReactionsService,
    private readonly membership: Membership,
  ) {
    const verb = (run: Verb['run'], until: Verb['until'] = 'ack'): Verb => ({ until, isDirect: false, run });
    this.all = {
      message: verb((person, fields) => this.message(person, fields), 'reply'),
      edit: verb((person, fields) => this.edit(person, fields)),
      delete: verb((person, fields) => this.remove(person, fields)),
      react: verb((person, fields) => this.react(person, fields, true)),
      unreact: verb((person, fields) => this.react(person, fields, false)),
      join: verb((person, fields) => this.join(person, fields)),
      leave: verb((person, fields) => this.leave(person, fields)),
      invite: verb((person, fields) => this.invite(person, fields)),
    };
  }

  private async message(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const mention = fields.optional('mention');
    const text = fields.sent['text'];
    const prefix = mention === undefined ? '' : `<@${await this.names.bot(person, mention)}> `;
    const args = parseArgs(ChatPostMessageArgs, {
      ...fields.sent,
      channel,
      text: prefix === '' ? text : `${prefix}${typeof text === 'string' ? text : ''}`,
    });
    const posted = await this.chat.postMessage(person, args);
    return { result: { channel: posted.channel, ts: posted.ts }, channel: posted.channel };
  }

  private async edit(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const { ts, text, blocks } = fields.sent;
    await this.revisions.update(person, parseArgs(ChatUpdateArgs, { channel, ts, text, blocks }));
    return { result: { channel, ts: fields.text('ts') }, channel };
  }

  private async remove(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    await this.revisions.delete(person, parseArgs(ChatDeleteArgs, { channel, ts: fields.sent['ts'] }));
    return { result: { channel, ts: fields.text('ts') }, channel };
  }

  private async react(person: Identity, fields: Fields, isAdded: boolean): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const sent = { channel, timestamp: fields.text('ts'), name: fields.text('name') };
    if (isAdded) await this.reactions.add(person, parseArgs(ReactionsAddArgs, sent));
    else await this.reactions.remove(person, parseArgs(ReactionsRemoveArgs, sent));
    return { result: {}, channel };
  }

  private async join(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    await this.membership.join(inTypes(person, ['public']), parseArgs(ConversationsJoinArgs, { channel }));
    return { result: { channel }, channel };
  }

  private async leave(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const caller = inTypes(person, ['public', 'private', 'mpim']);
    await this.membership.leave(caller, parseArgs(ConversationsLeaveArgs, { channel }));
    return { result: { channel }, channel };
  }

  private async invite(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const users = await this.names.users(person, fields.list('users'));
    const args = parseArgs(ConversationsInviteArgs, { channel, users });
    await this.membership.invite(inTypes(person, ['public', 'private']), args);
    return { result: { channel }, channel };
  }
}
