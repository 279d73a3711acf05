import { useEffect, useRef, useState, type ReactNode } from 'react';
import { onEvent, type RealtimeEvent } from '../api/realtime.js';
import type { Message } from '../api/wire.js';
import { parseMrkdwn, plainOfBlocks } from '../text/mrkdwn.js';
import { authorOf, useChat } from './chat-context.js';

/** A message that is new, or a stream that has ended: one that is being written is not read bit by bit. */
function toRead(event: RealtimeEvent): Message | null {
  const previous = event['previous_message'] as Message | undefined;
  const message = (event['subtype'] === 'message_changed' ? event['message'] : event) as Message;
  if (message.streaming_state === 'in_progress') return null;
  const hasEnded = message.streaming_state === 'completed' && previous?.streaming_state === 'in_progress';
  return hasEnded || !event['hidden'] ? message : null;
}

/** Announces new messages of the open conversation to screen readers, at most one per second. */
export function Announcer({ channel }: { channel: string | undefined }): ReactNode {
  const chat = useChat();
  const [said, setSaid] = useState('');
  const last = useRef(0);
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type !== 'message' || event['channel'] !== channel) return;
        const message = toRead(event);
        if (!message || message.user === chat.meId) return;
        if (Date.now() - last.current < 1_000) return;
        last.current = Date.now();
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
