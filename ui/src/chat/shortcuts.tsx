import type { ReactNode } from 'react';
import { Zap } from 'lucide-react';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useApps } from '../api/apps.js';
import type { Message } from '../api/wire.js';
import { MenuItem } from '../kit/menu.js';
import { say } from '../kit/toasts.js';
import { failedDelivery } from './view-surface.js';

interface Shortcut {
  name?: string;
  type?: string;
  callback_id?: string;
}

/** Shortcuts of one type that the workspace's apps offer. */
export function useShortcuts(type: 'global' | 'message'): { app: string; name: string; callbackId: string }[] {
  const apps = useApps();
  return (apps.data ?? []).flatMap((app) => {
    const features = app.manifest?.['features'] as { shortcuts?: Shortcut[] } | undefined;
    return (features?.shortcuts ?? []).flatMap((shortcut) =>
      shortcut.type === type && shortcut.callback_id !== undefined
        ? [{ app: app.name, name: shortcut.name ?? shortcut.callback_id, callbackId: shortcut.callback_id }]
        : [],
    );
  });
}

/** Runs a shortcut; a modal that the app opens appears by itself. */
export function playShortcut(callbackId: string, where: object = {}): void {
  rest<Parameters<typeof failedDelivery>[0]>('POST /act/shortcut', {
    as: 'persona',
    body: { callback_id: callbackId, until: 'ack', ...where },
  }).then(
    (answer) => {
      const silence = failedDelivery(answer, undefined);
      if (silence) say(silence.words, { tone: 'bad' });
    },
    (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
  );
}

export function MessageShortcuts({ channel, message }: { channel: string; message: Message }): ReactNode {
  const shortcuts = useShortcuts('message');
  return shortcuts.map(({ app, name, callbackId }) => (
    <MenuItem
      key={`${app}:${callbackId}`}
      icon={<Zap size={15} />}
      note={app}
      textValue={name}
      onAction={() => playShortcut(callbackId, { channel, message_ts: message.ts })}
    >
      {name}
    </MenuItem>
  ));
}
