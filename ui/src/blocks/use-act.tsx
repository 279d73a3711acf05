import { useState, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Confirm } from '../kit/dialog.js';
import { keyOf, obj, useSurface } from './surface.js';
import { wordsOf } from './text-object.js';

export interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** Inside an `input` block the value is kept until the form is submitted. */
  readonly isInput?: boolean;
  readonly labelId?: string;
}

/** Sends an action to the app, after confirmation if the element asks for one. */
export function useAct({ block, element, isInput = false }: ElementProps): {
  act: (value: Json) => void;
  /** The same for elements that also open a link: runs after the confirmation, if there is one. */
  follow: (url: string, value: Json) => void;
  confirm: ReactNode;
  isBusy: boolean;
  isDisabled: boolean;
} {
  const surface = useSurface();
  const [asked, setAsked] = useState<{ value: Json; url: string } | null>(null);
  const dialog = obj(element['confirm']);
  const go = (value: Json, url = ''): void => {
    if (/^https?:\/\//i.test(url)) window.open(url, '_blank', 'noopener,noreferrer');
    if (isInput && block['dispatch_action'] !== true) surface.enter(block, element, value);
    else surface.act(block, element, value);
  };
  const follow = (url: string, value: Json): void => (dialog && !isInput ? setAsked({ value, url }) : go(value, url));
  return {
    act: (value) => follow('', value),
    follow,
    isBusy: surface.busy === keyOf(block, element),
    isDisabled: surface.place.kind === 'preview',
    confirm: dialog && (
      <Confirm
        title={wordsOf(dialog['title']) || 'Are you sure?'}
        verb={wordsOf(dialog['confirm']) || 'Yes'}
        denial={wordsOf(dialog['deny']) || 'Cancel'}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => {
          if (asked) go(asked.value, asked.url);
          setAsked(null);
        }}
      >
        <p>{wordsOf(dialog['text'])}</p>
      </Confirm>
    ),
  };
}
