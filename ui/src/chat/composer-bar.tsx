import type { ReactNode } from 'react';
import {
  Bold,
  Code,
  Eye,
  Italic,
  Link,
  MoreHorizontal,
  Paperclip,
  SendHorizontal,
  Smile,
  Strikethrough,
  Zap,
} from 'lucide-react';
import { DialogTrigger } from 'react-aria-components';
import { IconButton } from '../kit/button.js';
import { Menu, MenuItem, MenuSection } from '../kit/menu.js';
import { EmojiPicker } from '../text/emoji-picker.js';
import { playShortcut, useShortcuts } from './shortcuts.js';
import styles from './composer.module.css';

interface BarProps {
  readonly onWrap: (before: string, after?: string) => void;
  readonly onInsert: (text: string) => void;
  readonly onPreview: () => void;
  readonly isPreview: boolean;
  readonly onSend: () => void;
  readonly onSendExactly: () => void;
  readonly onJson: () => void;
  readonly onAttach: (() => void) | undefined;
  readonly canSend: boolean;
  readonly mentions: readonly string[];
}

/** The tools below what is written. */
export function ComposerBar(props: BarProps): ReactNode {
  const { onWrap, mentions } = props;
  const shortcuts = useShortcuts('global');
  const said = [...new Set(mentions)].slice(0, 3);
  return (
    <div className={styles.bar}>
      <div className={styles.tools} role="toolbar" aria-label="Formatting">
        {props.onAttach && (
          <IconButton label="Attach files" size="small" onPress={props.onAttach}>
            <Paperclip size={15} />
          </IconButton>
        )}
        <span className={styles.formatting}>
          <IconButton label="Bold" size="small" onPress={() => onWrap('*')}>
            <Bold size={15} />
          </IconButton>
          <IconButton label="Italic" size="small" onPress={() => onWrap('_')}>
            <Italic size={15} />
          </IconButton>
          <IconButton label="Strike through" size="small" onPress={() => onWrap('~')}>
            <Strikethrough size={15} />
          </IconButton>
          <IconButton label="Code" size="small" onPress={() => onWrap('`')}>
            <Code size={15} />
          </IconButton>
          <IconButton label="Link" size="small" onPress={() => onWrap('<https://', '|text>')}>
            <Link size={15} />
          </IconButton>
        </span>
        <DialogTrigger>
          <IconButton label="Emoji" size="small">
            <Smile size={16} />
          </IconButton>
          <EmojiPicker placement="top start" onPick={(name) => props.onInsert(`:${name}: `)} />
        </DialogTrigger>
        <IconButton label="Preview" size="small" pressed={props.isPreview} onPress={props.onPreview}>
          <Eye size={16} />
        </IconButton>
      </div>
      <span className={styles.mentions}>
        {said.length > 0 && `${said.join(', ')} ${mentions.length === 1 ? 'is a mention' : 'are mentions'}`}
      </span>
      <Menu
        label="Message options"
        placement="top end"
        trigger={
          <IconButton label="Message options" size="small">
            <MoreHorizontal size={16} />
          </IconButton>
        }
      >
        <MenuItem isDisabled={!props.canSend} onAction={props.onSendExactly}>
          Send exactly as typed
        </MenuItem>
        <MenuItem onAction={props.onJson}>Send as JSON…</MenuItem>
        {shortcuts.length > 0 && (
          <MenuSection title="Shortcuts">
            {shortcuts.map(({ app, name, callbackId }) => (
              <MenuItem
                key={`${app}:${callbackId}`}
                icon={<Zap size={15} />}
                note={app}
                textValue={name}
                onAction={() => playShortcut(callbackId)}
              >
                {name}
              </MenuItem>
            ))}
          </MenuSection>
        )}
      </Menu>
      <button type="button" className={styles.send} aria-label="Send" disabled={!props.canSend} onClick={props.onSend}>
        <SendHorizontal size={16} aria-hidden />
      </button>
    </div>
  );
}
