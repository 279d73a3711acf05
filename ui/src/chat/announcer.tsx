import { useEffect, useRef, useState, type ReactNode } from 'react';
import { onEvent } from '../api/realtime.js';
import type { Message } from '../api/wire.js';
import { parseMrkdwn, plainOfBlocks } from '../text/mrkdwn.js';
import { authorOf, useChat } from './chat-context.js';

/** Announces new messages of the open conversation to screen readers, at most one per second. */
export function Announcer({ channel }: { channel: string | undefined }): ReactNode {
  const chat = useChat();
  const [said, setSaid] = useState('');
  const last = useRef(0);
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type !== 'message' || event['channel'] !== channel || event['hidden'] || event['user'] === chat.meId)
          return;
        if (Date.now() - last.current < 1_000) return;
        last.current = Date.now();
        const message = event as unknown as Message;
        setSaid(`${authorOf(message, chat.users).name}: ${plainOfBlocks(parseMrkdwn(message.text)).slice(0, 200)}`);
      }),
    [channel, chat.meId, chat.users],
  );
  return (
    <div className="visually-hidden" aria-live="polite" role="log" aria-label="New messages">
      {said}
    </div>
  );
}
