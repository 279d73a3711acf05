import { useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { LoaderCircle, ThumbsDown, ThumbsUp, Trash2 } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { IconButton } from '../kit/button.js';
import { PlainText } from '../text/mrkdwn-view.js';
import { useNames } from '../text/names.js';
import { feedbackGiven, rememberFeedback, type Feedback } from './feedback-given.js';
import { list, obj, str, useSurface } from './surface.js';
import { wordsOf } from './text-object.js';
import { useAct, type ElementProps } from './use-act.js';
import styles from './blocks.module.css';

/** Below an answer: what a person thinks of it, and small buttons. */
export const ContextActionsBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.actions}>
    {list(block['elements']).map((element, index) => {
      const key = str(element['action_id']) || index;
      return element['type'] === 'feedback_buttons' ? (
        <FeedbackButtons key={key} block={block} element={element} />
      ) : (
        <IconElement key={key} block={block} element={element} />
      );
    })}
  </div>
);

const nameOf = (button: Json): string => str(button['accessibility_label']) || wordsOf(button['text']);

/** Two buttons, one element: the one pressed last stays pressed, also when the page is loaded again. */
function FeedbackButtons(props: ElementProps): ReactNode {
  const { block, element } = props;
  const { meId } = useNames();
  const { place } = useSurface();
  const { act, confirm, isBusy, isDisabled } = useAct(props);
  const [chosen, setChosen] = useState<Feedback | null>(() => feedbackGiven(meId, place, block, element));
  return (
    <>
      {(['positive_button', 'negative_button'] as const).map((key) => {
        const button = obj(element[key]) ?? {};
        const Icon = key === 'positive_button' ? ThumbsUp : ThumbsDown;
        const press = (): void => {
          if (isBusy) return;
          setChosen(key);
          rememberFeedback(meId, place, block, element, key);
          act({ value: button['value'] });
        };
        return (
          <AriaButton
            key={key}
            className={`${styles.button} ${styles.feedback}`}
            onPress={press}
            isDisabled={isDisabled}
            aria-pressed={chosen === key}
            aria-label={nameOf(button)}
          >
            {isBusy && chosen === key ? (
              <LoaderCircle size={13} className={styles.spin} aria-hidden />
            ) : (
              <Icon size={13} aria-hidden />
            )}
            <PlainText text={wordsOf(button['text'])} />
          </AriaButton>
        );
      })}
      {confirm}
    </>
  );
}

/** An icon with a name; other people than those it is for do not see it. */
function IconElement(props: ElementProps): ReactNode {
  const { element } = props;
  const { meId } = useNames();
  const { act, confirm, isBusy, isDisabled } = useAct(props);
  const { visible_to_user_ids: audience } = element;
  if (Array.isArray(audience) && !audience.includes(meId)) return null;
  const press = (): void => {
    if (!isBusy) act(element['value'] === undefined ? {} : { value: element['value'] });
  };
  return (
    <>
      <IconButton label={nameOf(element)} hint={wordsOf(element['text'])} isDisabled={isDisabled} onPress={press}>
        {isBusy ? <LoaderCircle size={15} className={styles.spin} aria-hidden /> : <Trash2 size={15} aria-hidden />}
      </IconButton>
      {confirm}
    </>
  );
}
