import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Views, type ViewOwner } from '../surfaces/views.js';
import { MessagingError } from '../wire/codes.js';
import { isJsonObject } from '../wire/text.js';
import { checkView, isTooLarge, type ViewContent } from '../wire/view-content.js';
import type { View } from '../wire/view-wire.js';
import type { Interaction } from './interaction-calls.js';

/** An app's answer to a submission. */
export type ResponseAction =
  | { readonly act: 'close' | 'clear' }
  | { readonly act: 'errors'; readonly errors: Readonly<Record<string, string>> }
  | { readonly act: 'update' | 'push'; readonly content: ViewContent }
  | { readonly act: 'invalid'; readonly detail: string };

/** The result of a submission. */
export interface Submitted {
  /** The submitted view was closed. */
  readonly closed: boolean;
  /** By block. */
  readonly errors: Readonly<Record<string, string>>;
  /** The view on top now. */
  readonly view: View | null;
  /** The app's answer has no known form: nothing changed. */
  readonly error?: 'invalid_response_action';
  readonly detail?: string;
  /** Absent when nothing was sent. */
  readonly interaction?: Interaction;
}

const invalid = (detail: string): ResponseAction => ({ act: 'invalid', detail });

/** Parses an app's answer; nothing, and `{}`, closes the view. */
export function readResponse(answer: unknown): ResponseAction {
  if (answer === null) return { act: 'close' };
  if (!isJsonObject(answer)) return invalid('[ERROR] must be empty or a JSON object');
  if (Object.keys(answer).length === 0) return { act: 'close' };
  switch (answer['response_action']) {
    case 'clear':
      return { act: 'clear' };
    case 'errors': {
      const { errors } = answer;
      const isText = isJsonObject(errors) && Object.values(errors).every((text) => typeof text === 'string');
      if (!isText || Object.keys(errors).length === 0) {
        return invalid('[ERROR] must be an object of texts by block_id [json-pointer:/errors]');
      }
      return { act: 'errors', errors: errors as Record<string, string> };
    }
    case 'update':
    case 'push': {
      if (!isJsonObject(answer['view'])) return invalid('[ERROR] missing required field: view');
      const checked = checkView(answer['view'], 'modal');
      if ('fault' in checked) return invalid(checked.fault);
      if (isTooLarge(checked.view)) return invalid('view_too_large');
      return { act: answer['response_action'], content: checked.view };
    }
    default:
      return invalid('[ERROR] must be errors, update, push or clear [json-pointer:/response_action]');
  }
}

/** Carries out an app's answer to a submission. */
@Injectable()
export class ResponseActions {
  constructor(
    private readonly db: Db,
    private readonly views: Views,
  ) {}

  async carryOut(owner: ViewOwner, view: View, response: ResponseAction): Promise<Submitted> {
    const stays = { closed: false, errors: {}, view };
    const refused = (detail: string): Submitted => ({ ...stays, error: 'invalid_response_action', detail });
    switch (response.act) {
      case 'invalid':
        return refused(response.detail);
      case 'errors': {
        const ids = new Set(view.content.blocks.map((block) => block['block_id']));
        const unknown = Object.keys(response.errors).find((id) => !ids.has(id));
        if (unknown !== undefined) return refused(`[ERROR] no such block: ${unknown} [json-pointer:/errors]`);
        return { ...stays, errors: response.errors };
      }
      case 'close':
      case 'clear': {
        const closed = await this.db.write((tx) => this.views.close(tx, owner, view.id, response.act === 'clear'));
        return { closed: true, errors: {}, view: closed?.top ?? null };
      }
      case 'update':
      case 'push':
        return this.change((tx) => this.show(tx, owner, view, response.act === 'push', response.content), refused);
    }
  }

  private show(tx: Tx, owner: ViewOwner, view: View, isPushed: boolean, content: ViewContent): Promise<View> {
    if (isPushed) return this.views.push(tx, owner, content);
    return this.views.update(tx, owner, content, { find: () => this.views.find(view.workspaceId, view.id, tx) });
  }

  private async change(work: (tx: Tx) => Promise<View>, refused: (detail: string) => Submitted): Promise<Submitted> {
    try {
      return { closed: false, errors: {}, view: await this.db.write(work) };
    } catch (error) {
      if (error instanceof MessagingError) return refused(error.code);
      throw error;
    }
  }
}
