import { useState, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { useAct, type ElementProps } from './use-act.js';
import { str } from './surface.js';
import { wordsOf } from './text-object.js';
import styles from './blocks.module.css';

const KINDS = {
  datepicker: { input: 'date', key: 'selected_date', initial: 'initial_date', name: 'Date' },
  timepicker: { input: 'time', key: 'selected_time', initial: 'initial_time', name: 'Time' },
  datetimepicker: {
    input: 'datetime-local',
    key: 'selected_date_time',
    initial: 'initial_date_time',
    name: 'Date and time',
  },
} as const;

const two = (value: number): string => String(value).padStart(2, '0');

/** Seconds as the browser's field expects them: in local time. */
function localOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Date and time pickers, using the browser's own fields. */
export function DateElement(props: ElementProps): ReactNode {
  const { element, labelId } = props;
  const { act, confirm, isDisabled } = useAct(props);
  const kind = KINDS[str(element['type']) as keyof typeof KINDS];
  const initial = element[kind.initial];
  const [value, setValue] = useState(typeof initial === 'number' ? localOf(initial) : str(initial));
  const answer = (text: string): Json => ({
    [kind.key]:
      text === '' ? null : kind.input === 'datetime-local' ? Math.floor(new Date(text).getTime() / 1000) : text,
  });
  return (
    <>
      <input
        type={kind.input}
        className={styles.date}
        {...(labelId ? { 'aria-labelledby': labelId } : { 'aria-label': wordsOf(element['placeholder']) || kind.name })}
        value={value}
        disabled={isDisabled}
        onChange={(event) => {
          setValue(event.target.value);
          act(answer(event.target.value));
        }}
      />
      {confirm}
    </>
  );
}
