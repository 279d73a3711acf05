import { stateOf, type EnteredValues } from './view-state.js';
import type { ViewContent } from './view-content.js';

/** A view as it is stored. */
export interface View {
  readonly id: string;
  readonly workspaceId: string;
  readonly appId: string;
  readonly botId: string;
  /** Who sees it. */
  readonly userId: string;
  /** Place in the stack from 1; 0 = the home. */
  readonly depth: number;
  readonly rootId: string;
  readonly previousId: string | null;
  readonly content: ViewContent;
  readonly entered: EnteredValues;
  readonly hash: string;
}

/** A view as answers and payloads show it. */
export function toWireView(view: View): Record<string, unknown> {
  const { content } = view;
  const isModal = content.type === 'modal';
  return {
    id: view.id,
    team_id: view.workspaceId,
    type: content.type,
    blocks: content.blocks,
    private_metadata: content.private_metadata,
    callback_id: content.callback_id,
    external_id: content.external_id,
    state: { values: stateOf(content.blocks, view.entered) },
    hash: view.hash,
    ...(isModal && { title: content.title, submit: content.submit }),
    close: content.close,
    clear_on_close: content.clear_on_close,
    notify_on_close: content.notify_on_close,
    submit_disabled: content.submit_disabled,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: view.appId,
    app_installed_team_id: view.workspaceId,
    bot_id: view.botId,
  };
}
