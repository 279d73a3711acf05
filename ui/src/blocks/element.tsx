import { useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { LoaderCircle, MoreHorizontal } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { Confirm } from '../kit/dialog.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { IconButton } from '../kit/button.js';
import { Picture } from './image.js';
import { DateElement } from './dates.js';
import { CheckElement } from './checks.js';
import { SelectElement } from './selects.js';
import { TextInput } from './text-inputs.js';
import { keyOf, list, obj, str, useSurface } from './place.js';
import { PlainText } from '../text/mrkdwn-view.js';
import { wordsOf } from './text-object.js';
import styles from './blocks.module.css';

export interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** Inside an `input` block: what is chosen waits until it is sent. */
  readonly isInput?: boolean;
  readonly labelId?: string;
}

const SELECT = /^(multi_)?(static|external|users|channels|conversations)_select$/;
const TEXT = /^(plain_text|email_text|url_text|number|rich_text)_input$/;

/** One interactive element, of whatever type. */
export function Element(props: ElementProps): ReactNode {
  const type = str(props.element['type']);
  if (type === 'button') return <ButtonElement {...props} />;
  if (type === 'image') return <Picture url={str(props.element['image_url'])} alt={str(props.element['alt_text'])} />;
  if (type === 'overflow') return <OverflowElement {...props} />;
  if (SELECT.test(type)) return <SelectElement {...props} />;
  if (type === 'checkboxes' || type === 'radio_buttons') return <CheckElement {...props} />;
  if (type === 'datepicker' || type === 'timepicker' || type === 'datetimepicker') return <DateElement {...props} />;
  if (TEXT.test(type)) return <TextInput {...props} />;
  return (
    <span className={styles.unsupported}>
      <AriaButton isDisabled className={styles.button ?? ''}>
        {wordsOf(props.element['text']) || type}
      </AriaButton>
      <small>not supported here</small>
    </span>
  );
}

/** Tells the app, after asking where the element says so. */
export function useAct({ block, element, isInput = false }: ElementProps): {
  act: (value: Json) => void;
  /** The same for what leads elsewhere as well: once it is confirmed, where it asks first. */
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

function ButtonElement(props: ElementProps): ReactNode {
  const { element } = props;
  const { follow, confirm, isBusy, isDisabled } = useAct(props);
  const style = str(element['style']);
  const press = (): void => {
    if (isBusy) return;
    follow(str(element['url']), element['value'] === undefined ? {} : { value: element['value'] });
  };
  const label = str(element['accessibility_label']);
  return (
    <>
      <AriaButton
        className={`${styles.button} ${style === 'primary' ? styles.primary : style === 'danger' ? styles.danger : ''}`}
        onPress={press}
        isDisabled={isDisabled}
        data-busy={isBusy}
        {...(label === '' ? {} : { 'aria-label': label })}
      >
        {isBusy && <LoaderCircle size={13} className={styles.spin} aria-hidden />}
        <PlainText text={wordsOf(element['text'])} />
      </AriaButton>
      {confirm}
    </>
  );
}

function OverflowElement(props: ElementProps): ReactNode {
  const { follow, confirm, isDisabled } = useAct(props);
  return (
    <>
      <Menu
        label="More choices"
        trigger={
          <IconButton label="More choices" isDisabled={isDisabled}>
            <MoreHorizontal size={16} />
          </IconButton>
        }
      >
        {list(props.element['options']).map((option, index) => (
          <MenuItem
            key={index}
            textValue={wordsOf(option['text'])}
            onAction={() => follow(str(option['url']), { selected_option: option })}
          >
            <PlainText text={wordsOf(option['text'])} />
          </MenuItem>
        ))}
      </Menu>
      {confirm}
    </>
  );
}
