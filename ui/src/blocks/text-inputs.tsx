import { useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import type { ElementProps } from './use-act.js';
import { obj, str, useSurface } from './surface.js';
import { wordsOf } from './text-object.js';
import styles from './blocks.module.css';

const TYPES: Readonly<Record<string, string>> = {
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'number',
};

/** Text fields. Input is sent to the app only if the block or the element asks for it. */
export function TextInput({ block, element, labelId }: ElementProps): ReactNode {
  const surface = useSurface();
  const [value, setValue] = useState(String(element['initial_value'] ?? ''));
  const triggers = obj(element['dispatch_action_config'])?.['trigger_actions_on'];
  const on = (when: string): boolean =>
    block['dispatch_action'] === true &&
    (Array.isArray(triggers) ? triggers.includes(when) : when === 'on_enter_pressed');
  const answer = (text: string): Json => ({ value: text === '' ? null : text });
  const change = (text: string): void => {
    setValue(text);
    if (on('on_character_entered')) surface.act(block, element, answer(text));
    else surface.enter(block, element, answer(text));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || !on('on_enter_pressed')) return;
    event.preventDefault();
    surface.act(block, element, answer(value));
  };
  const name = labelId ? { 'aria-labelledby': labelId } : { 'aria-label': wordsOf(element['placeholder']) || 'Text' };
  const common = {
    className: styles.text,
    value,
    placeholder: wordsOf(element['placeholder']),
    disabled: surface.place.kind === 'preview',
    onKeyDown,
    dir: 'auto' as const,
    ...(typeof element['max_length'] === 'number' ? { maxLength: element['max_length'] } : {}),
    ...name,
  };
  if (element['multiline'] === true || element['type'] === 'rich_text_input') {
    return <textarea {...common} rows={4} onChange={(event) => change(event.target.value)} />;
  }
  return (
    <input {...common} type={TYPES[str(element['type'])] ?? 'text'} onChange={(event) => change(event.target.value)} />
  );
}
