import type { ReactNode } from 'react';
import { Mrkdwn, PlainText } from '../text/mrkdwn-view.js';
import { obj, str } from './surface.js';

/** A text object: mrkdwn, or plain with emoji. */
export function TextObject({ text, inline = false }: { text: unknown; inline?: boolean }): ReactNode {
  const object = obj(text);
  if (!object) return null;
  if (object['type'] === 'mrkdwn') return <Mrkdwn text={str(object['text'])} inline={inline} />;
  return (
    <span dir="auto">
      <PlainText text={str(object['text'])} />
    </span>
  );
}

/** The same as a plain string, for accessible names. */
export const wordsOf = (text: unknown): string => str(obj(text)?.['text']) || str(text);
