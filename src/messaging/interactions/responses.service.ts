import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { ownIds } from '../../kernel/clock/request-sandbox.js';
import { Db } from '../../kernel/database/db.js';
import { CallSteps } from '../../kernel/sandbox/call-steps.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { Revisions } from '../chat/revisions.service.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import type { EventPlace } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import { MessageAccess } from '../access/message-access.js';
import { MessageLog } from '../messages/message-log.js';
import type { Message } from '../store/message.entity.js';
import { ResponseUrls, type TakenResponse } from '../surfaces/response-urls.js';
import { AppMessages } from '../rest/app-messages.js';
import { PayloadError, readMessage, readPayload, type MessagePayload } from '../rest/message-payload.js';

/**
 * A refusal in the reference service's own shape: `{"ok":false,"error":…}`
 * (docs/reference/control-plane.md#slash-commands).
 */
export class ResponseRefusal extends Error {
  constructor(
    readonly status: 400 | 404,
    readonly code: 'expired_url' | 'used_url' | 'invalid_payload' | 'no_text',
  ) {
    super(code);
  }
}

/** An app's request to a response_url. */
interface ResponseRequest {
  readonly act: 'say' | 'replace' | 'delete';
  readonly inChannel: boolean;
  /** Null only with `delete`. */
  readonly message: MessagePayload | null;
}

/** Later answers of apps at a response_url (docs/reference/control-plane.md#slash-commands). */
@Injectable()
export class Responses {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sandboxes: SandboxReader,
    private readonly steps: CallSteps,
    private readonly apps: AppsAccess,
    private readonly urls: ResponseUrls,
    private readonly messages: AppMessages,
    private readonly stored: MessageAccess,
    private readonly log: MessageLog,
    private readonly revisions: Revisions,
  ) {}

  /** A refused body is not a use. @throws ResponseRefusal */
  async respond(secret: string, body: Buffer | undefined, contentType: string | undefined): Promise<void> {
    const state = await this.urls.state(secret);
    if (state !== 'good') throw new ResponseRefusal(404, state);
    const request = readResponseRequest(body, contentType);
    const taken = await this.urls.take(secret);
    if (!taken) throw new ResponseRefusal(404, 'used_url');
    const sandbox = this.sandboxes.ofCall(taken.sandbox);
    this.clock.enter(sandbox);
    await this.steps.begin(sandbox);
    const app = await this.apps.find(taken.workspaceId, taken.appId);
    if (!app) throw new ResponseRefusal(404, 'expired_url');
    try {
      await this.grant(taken, app, ownIds() ? readResponseRequest(body, contentType) : request);
    } catch (error) {
      if (!(error instanceof MessagingError)) throw error;
      // the conversation was archived or deleted: nothing can be posted there any more
      throw new ResponseRefusal(404, 'expired_url');
    }
  }

  private async grant(taken: TakenResponse, app: App, { act, inChannel, message }: ResponseRequest): Promise<void> {
    const place: EventPlace = {
      tenantId: taken.tenantId,
      workspaceId: taken.workspaceId,
      conversation: { id: taken.conversationId, type: taken.type },
    };
    const { userId, messageTs: ts } = taken;
    if (act !== 'say' && ts !== null) {
      if (await this.revise(place, ts, app, message)) return;
      if (await this.messages.replaceEphemeral(place, app, { userId, ts }, message)) return;
    }
    if (!message) return;
    if (inChannel) await this.messages.post(place, app, message);
    else await this.messages.postEphemeral(place, app, taken.userId, message);
  }

  /** Replaces the clicked message as a whole, or deletes it. False when it does not exist or is not this app's. */
  private async revise(place: EventPlace, ts: number, app: App, message: MessagePayload | null): Promise<boolean> {
    return this.db.write(async (tx) => {
      await this.log.hold(tx, place.conversation.id, null);
      const original = await this.stored.forUpdate(tx, place.conversation, ts).catch((error: unknown) => {
        if (error instanceof MessagingError && error.code === 'message_not_found') return null;
        throw error;
      });
      if (!original || !isOf(original, app)) return false;
      if (message) {
        await this.revisions.rewrite(tx, place, original, {
          text: message.text,
          blocks: message.blocks ?? [],
          attachments: message.attachments ?? [],
        });
      } else await this.revisions.remove(tx, place, original);
      return true;
    });
  }
}

const isOf = (message: Message, app: App): boolean =>
  (JSON.parse(message.wire) as { app_id?: string }).app_id === app.id;

const isTrue = (value: unknown): boolean => value === true || value === 'true';

function readResponseRequest(body: Buffer | undefined, contentType: string | undefined): ResponseRequest {
  try {
    const payload = readPayload(body, contentType);
    const inChannel = payload['response_type'] === 'in_channel';
    if (isTrue(payload['delete_original'])) return { act: 'delete', inChannel, message: null };
    const act = isTrue(payload['replace_original']) ? 'replace' : 'say';
    return { act, inChannel, message: readMessage(payload) };
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    throw new ResponseRefusal(400, error.code === 'no_text' ? 'no_text' : 'invalid_payload');
  }
}
