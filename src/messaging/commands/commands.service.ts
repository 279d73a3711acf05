import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { channelLabel } from '../wire/channel-label.js';
import { eventPlaceOf, type EventPlace } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity } from '../access/identity.js';
import { ResponseUrls } from '../surfaces/response-urls.js';
import { Triggers } from '../surfaces/triggers.js';
import { SlashCommand } from '../store/slash-command.entity.js';
import { insertCommand } from '../provisioning/slash-commands.js';
import { WorkspaceCounts } from '../provisioning/workspace-counts.js';
import { isJsonObject } from '../wire/text.js';
import { AppMessages } from '../rest/app-messages.js';
import { AppFailure } from '../rest/app-failure.js';
import { AppSender, type AppReply } from '../rest/app-sender.js';
import { PayloadError, readMessage, type MessagePayload } from '../rest/message-payload.js';
import { requireOwner } from '../rest/ownership.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import type { CommandBody, ExecuteCommandBody } from './commands.dto.js';
import { COMMAND_BY_NAME, COMMANDS_PAGE, type CommandRow } from './commands.queries.js';

/** An app's answer to a command, as a message. */
interface Reply {
  readonly inChannel: boolean;
  readonly message: MessagePayload;
}

/** Slash commands (docs/reference/control-plane.md#slash-commands). */
@Injectable()
export class Commands {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly counts: WorkspaceCounts,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly sender: AppSender,
    private readonly responseUrls: ResponseUrls,
    private readonly triggers: Triggers,
    private readonly messages: AppMessages,
  ) {}

  async list(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<CommandRow>(COMMANDS_PAGE, [caller.workspaceId, ...pageValues(page)]);
    return toPage('commands', rows, page, show);
  }

  /** @throws RestError 404 app_not_found, 403 not_admin, 409 command_taken, too_many_commands */
  async create(caller: Identity, body: CommandBody): Promise<object> {
    const app = await this.apps.of(caller, body.app_id);
    if (app.socketMode === 'off' && !body.url) throw new BadRequestException(['url must be an http or https URL']);
    const made = await this.db.write(async (tx) => {
      const command = await insertCommand(tx, {
        workspaceId: caller.workspaceId,
        appId: app.id,
        command: body.command,
        url: body.url ?? null,
        description: body.description ?? '',
        usageHint: body.usage_hint ?? '',
        creatorId: caller.userId,
        createdAt: this.clock.nowMicros(),
      });
      if (command) await this.counts.check(tx, caller.workspaceId, 'commands');
      return command;
    });
    if (!made) throw new RestError(409, 'command_taken');
    return show(made);
  }

  /** @throws RestError 404 command_not_found, 403 not_admin */
  async remove(caller: Identity, id: string): Promise<void> {
    const { workspaceId } = caller;
    const command = await this.db.load((entities) => entities.findOneBy(SlashCommand, { id, workspaceId }));
    if (!command) throw new RestError(404, 'command_not_found');
    requireOwner(caller, { appId: command.appId });
    await this.db.write((tx) => tx.sql.delete(SlashCommand, { id }));
  }

  /**
   * Sends the command to its app, waits for the answer and shows it.
   * @throws RestError 404 command_not_found, 502; MessagingError channel_not_found, is_archived
   */
  async execute(caller: Identity, body: ExecuteCommandBody): Promise<object> {
    const { name, text } = split(body);
    const [command] = await this.db.read<CommandRow & { domain: string }>(COMMAND_BY_NAME, [caller.workspaceId, name]);
    const app = command && (await this.apps.find(caller.workspaceId, command.appId));
    // one that was made beforehand is there for nobody until its app is installed
    if (!command || !app || app.installedAt === null) throw new RestError(404, 'command_not_found');
    const conversation = await this.conversations.find(caller, body.channel_id);
    if (!conversation) throw new MessagingError('channel_not_found');
    if (conversation.isArchived) throw new MessagingError('is_archived');

    const triggerId = await this.triggers.issue({
      workspaceId: caller.workspaceId,
      appId: app.id,
      userId: caller.userId,
      conversationId: conversation.id,
    });
    const responseUrl = await this.responseUrls.issue({
      workspaceId: caller.workspaceId,
      appId: app.id,
      userId: caller.userId,
      conversationId: conversation.id,
      messageTs: null,
      sandbox: caller.sandbox,
    });
    const answer = await this.sender.send({
      tenantId: caller.tenantId,
      app,
      type: 'slash_commands',
      kind: 'slash_command',
      commandId: command.id,
      url: command.url,
      payload: {
        token: app.verificationToken,
        team_id: caller.workspaceId,
        team_domain: command.domain,
        channel_id: conversation.id,
        channel_name: channelLabel(conversation),
        user_id: caller.userId,
        user_name: caller.userName,
        command: command.command,
        text,
        api_app_id: app.id,
        is_enterprise_install: 'false',
        response_url: responseUrl,
        trigger_id: triggerId,
      },
    });
    const reply = readReply(answer);
    const place = eventPlaceOf(caller, conversation);
    const said = reply && (await this.responseUrls.storeFirst(responseUrl, this.say(caller, place, app, reply)));
    return {
      command_id: command.id,
      channel_id: conversation.id,
      trigger_id: triggerId,
      response_url: responseUrl,
      transport: answer.transport,
      status_code: answer.status,
      response: reply && showReply(reply),
      message_ts: said,
    };
  }

  /** Returns the ts of a public answer, null for an ephemeral one. */
  private async say(
    caller: Identity,
    place: EventPlace,
    app: App,
    { inChannel, message }: Reply,
  ): Promise<string | null> {
    if (inChannel) return (await this.messages.post(place, app, message)).ts;
    await this.messages.postEphemeral(place, app, caller.userId, message);
    return null;
  }
}

/** `/deploy prod` in `command` includes its text when `text` is absent; the `/` is optional. */
function split(body: ExecuteCommandBody): { name: string; text: string } {
  const sent = body.command.startsWith('/') ? body.command : `/${body.command}`;
  const space = sent.indexOf(' ');
  if (typeof body.text === 'string' || space === -1) return { name: sent, text: body.text ?? '' };
  return { name: sent.slice(0, space), text: sent.slice(space + 1) };
}

/**
 * Null for an app that only acknowledges.
 * @throws AppFailure for a JSON body that is not a message
 */
function readReply({ text, transport, status }: AppReply): Reply | null {
  if (text.trim() === '') return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  try {
    if (!isJsonObject(json)) return { inChannel: false, message: readMessage({ text }) };
    return { inChannel: json['response_type'] === 'in_channel', message: readMessage(json) };
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    if (error.code === 'no_text') return null;
    throw new AppFailure('http_client_error', transport, status);
  }
}

const showReply = ({ inChannel, message }: Reply): object => ({
  response_type: inChannel ? 'in_channel' : 'ephemeral',
  text: message.text,
  ...(message.blocks ? { blocks: message.blocks } : {}),
  ...(message.attachments ? { attachments: message.attachments } : {}),
});

/** A command's object (docs/reference/control-plane.md#slash-commands). */
const show = (command: SlashCommand): object => ({
  id: command.id,
  command: command.command,
  url: command.url,
  description: command.description,
  usage_hint: command.usageHint,
  app_id: command.appId,
  team_id: command.workspaceId,
  creator: command.creatorId,
  created: Math.floor(command.createdAt / 1e6),
});
