import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Element } from './element.js';
import { list, str } from './surface.js';
import styles from './blocks.module.css';

export const ActionsBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.actions}>
    {list(block['elements']).map((element, index) => (
      <Element key={str(element['action_id']) || index} block={block} element={element} />
    ))}
  </div>
);

/** Buttons below an assistant's answer; `feedback_buttons` are two of them. */
export const ContextActionsBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.actions}>
    {list(block['elements']).flatMap((element, index) => {
      if (element['type'] !== 'feedback_buttons') return [<Element key={index} block={block} element={element} />];
      return ['positive_button', 'negative_button'].map((key) => (
        <Element
          key={`${index}:${key}`}
          block={block}
          element={{ ...(element[key] as Json), type: 'button', action_id: element['action_id'] }}
        />
      ));
    })}
  </div>
);
