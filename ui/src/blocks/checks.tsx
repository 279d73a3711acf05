import { useId, useState, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { useAct, type ElementProps } from './use-act.js';
import { list, obj, str } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

/** Checkboxes and radio buttons. */
export function CheckElement(props: ElementProps): ReactNode {
  const { element, labelId } = props;
  const { act, confirm, isDisabled } = useAct(props);
  const name = useId();
  const isMany = element['type'] === 'checkboxes';
  const [chosen, setChosen] = useState<Json[]>(() => {
    const one = obj(element['initial_option']);
    return one ? [one] : list(element['initial_options']);
  });
  const has = (option: Json): boolean => chosen.some((one) => one['value'] === option['value']);
  const toggle = (option: Json): void => {
    const next = isMany
      ? has(option)
        ? chosen.filter((one) => one['value'] !== option['value'])
        : [...chosen, option]
      : [option];
    setChosen(next);
    act(isMany ? { selected_options: next } : { selected_option: next[0] ?? null });
  };
  return (
    <div
      className={styles.checks}
      role={isMany ? 'group' : 'radiogroup'}
      {...(labelId ? { 'aria-labelledby': labelId } : { 'aria-label': 'Choices' })}
    >
      {list(element['options']).map((option, index) => (
        <label key={index} className={styles.check}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            value={str(option['value'])}
            checked={has(option)}
            disabled={isDisabled}
            onChange={() => toggle(option)}
          />
          <span>
            <TextObject text={option['text']} inline />
            {option['description'] !== undefined && (
              <small className={styles.checkNote}>
                <TextObject text={option['description']} inline />
              </small>
            )}
          </span>
        </label>
      ))}
      {confirm}
    </div>
  );
}
