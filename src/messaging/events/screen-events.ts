import { defineChatEvent, userRoom, type InWorkspace, type EventPlace } from './define-chat-event.js';

/** The kind that only sockets of signed-in people receive: apps know what they show. */
export const SCREEN_CHANGED = 'screen_changed';

/** What an app shows to a person changed: modals, home, ephemeral messages, the status of a thread. */
export const screenChanged = defineChatEvent<InWorkspace & { userId: string; appId: string }>({
  kind: SCREEN_CHANGED,
  hears: null,
  room: (change) => userRoom(change.userId),
  wire: (change) => ({ app_id: change.appId }),
});

/** A person opened an app's home, or its messages. The conversation is the im of person and bot. */
export const appHomeOpened = defineChatEvent<
  EventPlace & {
    userId: string;
    appId: string;
    tab: 'home' | 'messages';
    view: object | undefined;
    context?: object | undefined;
    eventTs: string;
  }
>({
  kind: 'app_home_opened',
  hears: { scope: null, audience: 'app' },
  wire: (change) => ({
    type: 'app_home_opened',
    user: change.userId,
    channel: change.conversation.id,
    tab: change.tab,
    event_ts: change.eventTs,
    view: change.view,
    context: change.context,
  }),
  app: (change) => change.appId,
});
