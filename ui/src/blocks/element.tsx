import { type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { LoaderCircle, MoreHorizontal } from 'lucide-react';
import { Menu, MenuItem } from '../kit/menu.js';
import { IconButton } from '../kit/button.js';
import { ImageElement } from './image.js';
import { DateElement } from './dates.js';
import { CheckElement } from './checks.js';
import { SelectElement } from './selects.js';
import { TextInput } from './text-inputs.js';
import { useAct, type ElementProps } from './use-act.js';
import { list, str } from './surface.js';
import { PlainText } from '../text/mrkdwn-view.js';
import { wordsOf } from './text-object.js';
import styles from './blocks.module.css';

const SELECT = /^(multi_)?(static|external|users|channels|conversations)_select$/;
const TEXT = /^(plain_text|email_text|url_text|number|rich_text)_input$/;

/** One interactive element of any type. */
export function Element(props: ElementProps): ReactNode {
  const type = str(props.element['type']);
  if (type === 'button') return <ButtonElement {...props} />;
  if (type === 'image') return <ImageElement element={props.element} />;
  if (type === 'overflow') return <OverflowElement {...props} />;
  if (SELECT.test(type)) return <SelectElement {...props} />;
  if (type === 'checkboxes' || type === 'radio_buttons') return <CheckElement {...props} />;
  if (type === 'datepicker' || type === 'timepicker' || type === 'datetimepicker') return <DateElement {...props} />;
  if (TEXT.test(type)) return <TextInput {...props} />;
  return (
    <span className={styles.unsupported}>
      <AriaButton isDisabled className={styles.button ?? ''}>
        {wordsOf(props.element['text']) || (type === 'file_input' ? 'Choose files' : type)}
      </AriaButton>
      <small>not supported here</small>
    </span>
  );
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
