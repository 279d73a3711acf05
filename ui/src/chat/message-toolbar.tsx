import { useState, type ReactNode } from 'react';
import {
  Braces,
  Copy,
  Link2,
  MessageSquareReply,
  MoreHorizontal,
  Pencil,
  Pin,
  Radar,
  SmilePlus,
  Trash2,
} from 'lucide-react';
import { useLocation } from 'wouter';
import { DialogTrigger } from 'react-aria-components';
import { basePath } from '../api/base.js';
import { call } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import type { Message } from '../api/wire.js';
import { IconButton } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Menu, MenuItem, MenuLine } from '../kit/menu.js';
import { copyText } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { EmojiPicker } from '../text/emoji-picker.js';
import { mayDelete, mayEdit, useChat } from './chat-context.js';
import { toggleReaction } from './reactions.js';
import { MessageShortcuts } from './shortcuts.js';
import styles from './toolbar.module.css';

interface ToolbarProps {
  readonly message: Message;
  readonly channel: string;
  readonly inThread: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The address of a message, as the API gives it out. */
export const permalinkOf = (channel: string, message: Message): string => {
  const thread =
    message.thread_ts !== undefined && message.thread_ts !== message.ts
      ? `?thread_ts=${message.thread_ts}&cid=${channel}`
      : '';
  return `${window.location.origin}${basePath()}/archives/${channel}/p${message.ts.replace('.', '')}${thread}`;
};

/** What can be done with a message: seen while it is pointed at or has the focus. */
export function MessageToolbar({ message, channel, inThread, onOpenChange }: ToolbarProps): ReactNode {
  const chat = useChat();
  const [, navigate] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const thread = message.thread_ts ?? message.ts;
  const attempt = (work: Promise<unknown>, done?: string): void =>
    void work.then(
      () => done !== undefined && say(done),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const remove = (): void => {
    setDeleting(false);
    attempt(call('chat.delete', { channel, ts: message.ts }));
  };
  if (message.ts.startsWith('local-')) return null;
  return (
    <div role="toolbar" aria-label="Message actions" className={styles.toolbar}>
      {!message.is_ephemeral && (
        <DialogTrigger onOpenChange={onOpenChange}>
          <IconButton label="React" size="small">
            <SmilePlus size={16} />
          </IconButton>
          <EmojiPicker onPick={(name) => void toggleReaction(channel, message, name, chat.meId)} />
        </DialogTrigger>
      )}
      {!inThread && !message.is_ephemeral && (
        <IconButton label="Reply in thread" size="small" onPress={() => navigate(chat.threadPath(channel, thread))}>
          <MessageSquareReply size={16} />
        </IconButton>
      )}
      <Menu
        label="Message"
        onOpenChange={onOpenChange}
        trigger={
          <IconButton label="More" size="small">
            <MoreHorizontal size={16} />
          </IconButton>
        }
      >
        {mayEdit(message, chat.meId) && (
          <MenuItem icon={<Pencil size={15} />} onAction={() => chat.edit(message.ts)}>
            Edit message
          </MenuItem>
        )}
        {chat.hasAllMethods && !message.is_ephemeral && (
          <MenuItem
            icon={<Pin size={15} />}
            onAction={() => attempt(call('pins.add', { channel, timestamp: message.ts }), 'Pinned.')}
          >
            Pin to this conversation
          </MenuItem>
        )}
        <MenuItem icon={<Copy size={15} />} onAction={() => attempt(copyText(message.text), 'Text copied.')}>
          Copy text
        </MenuItem>
        <MenuItem
          icon={<Link2 size={15} />}
          onAction={() => attempt(copyText(permalinkOf(channel, message)), 'Link copied.')}
        >
          Copy link
        </MenuItem>
        <MenuItem icon={<Braces size={15} />} onAction={() => chat.showJson(message)}>
          View JSON
        </MenuItem>
        {chat.looksIn && (
          <MenuItem icon={<Radar size={15} />} onAction={() => navigate(chat.inspectPath(`text=${message.ts}`))}>
            Find in Inspector
          </MenuItem>
        )}
        {chat.hasAllMethods && <MessageShortcuts channel={channel} message={message} />}
        {mayDelete(message, chat) && <MenuLine />}
        {mayDelete(message, chat) && (
          <MenuItem danger icon={<Trash2 size={15} />} onAction={() => setDeleting(true)}>
            Delete message…
          </MenuItem>
        )}
      </Menu>
      <Confirm
        title="Delete this message?"
        verb="Delete"
        isOpen={deleting}
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        <p className={styles.quote}>{message.text.slice(0, 300) || 'A message without text.'}</p>
      </Confirm>
    </div>
  );
}
