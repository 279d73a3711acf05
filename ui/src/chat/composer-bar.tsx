import { memo, type ReactNode } from 'react';
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

export interface BarTools extends Record<string, (...args: never[]) => void> {
  readonly wrap: (before: string, after?: string) => void;
  readonly insert: (text: string) => void;
  readonly preview: () => void;
  readonly send: () => void;
  readonly sendExactly: () => void;
  readonly json: () => void;
  readonly attach: () => void;
}

interface BarProps {
  /** Stable callbacks: the bar is rendered again only when another property changes. */
  readonly tools: BarTools;
  readonly isPreview: boolean;
  readonly canAttach: boolean;
  readonly canSend: boolean;
  readonly mentions: string;
}

/** The tools below the text field. */
export const ComposerBar = memo(function ComposerBar(props: BarProps): ReactNode {
  const { tools, isPreview, canAttach, canSend, mentions } = props;
  const shortcuts = useShortcuts('global');
  return (
    <div className={styles.bar}>
      <div className={styles.tools} role="toolbar" aria-label="Formatting">
        {canAttach && (
          <IconButton label="Attach files" size="small" onPress={tools.attach}>
            <Paperclip size={15} />
          </IconButton>
        )}
        <span className={styles.formatting}>
          <IconButton label="Bold" size="small" onPress={() => tools.wrap('*')}>
            <Bold size={15} />
          </IconButton>
          <IconButton label="Italic" size="small" onPress={() => tools.wrap('_')}>
            <Italic size={15} />
          </IconButton>
          <IconButton label="Strike through" size="small" onPress={() => tools.wrap('~')}>
            <Strikethrough size={15} />
          </IconButton>
          <IconButton label="Code" size="small" onPress={() => tools.wrap('`')}>
            <Code size={15} />
          </IconButton>
          <IconButton label="Link" size="small" onPress={() => tools.wrap('<https://', '|text>')}>
            <Link size={15} />
          </IconButton>
        </span>
        <DialogTrigger>
          <IconButton label="Emoji" size="small">
            <Smile size={16} />
          </IconButton>
          <EmojiPicker placement="top start" onPick={(name) => tools.insert(`:${name}: `)} />
        </DialogTrigger>
        <IconButton label="Preview" size="small" pressed={isPreview} onPress={tools.preview}>
          <Eye size={16} />
        </IconButton>
      </div>
      <span className={styles.mentions}>{mentions}</span>
      <Menu
        label="Message options"
        placement="top end"
        trigger={
          <IconButton label="Message options" size="small">
            <MoreHorizontal size={16} />
          </IconButton>
        }
      >
        <MenuItem isDisabled={!canSend} onAction={tools.sendExactly}>
          Send exactly as typed
        </MenuItem>
        <MenuItem onAction={tools.json}>Send as JSON…</MenuItem>
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
      <button type="button" className={styles.send} aria-label="Send" disabled={!canSend} onClick={tools.send}>
        <SendHorizontal size={16} aria-hidden />
      </button>
    </div>
  );
});
