import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Braces, Copy, Link2, Pencil, Pin, Radar, Trash2 } from 'lucide-react';
import { useGo } from '../kit/link.js';
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
import { RestingToolbar, TOOL_ICONS, TOOL_NAMES, toolsOf } from './resting-toolbar.js';
import { MessageShortcuts } from './shortcuts.js';
import styles from './toolbar.module.css';

interface ToolbarProps {
  readonly message: Message;
  readonly channel: string;
  readonly inThread: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Whether the person is at the message, by mouse, touch or keyboard. */
  readonly isAwake: boolean;
  readonly onWake: () => void;
}

/** A message's permalink, as the API returns it. */
export const permalinkOf = (channel: string, message: Message): string => {
  const thread =
    message.thread_ts !== undefined && message.thread_ts !== message.ts
      ? `?thread_ts=${message.thread_ts}&cid=${channel}`
      : '';
  return `${window.location.origin}${basePath()}/archives/${channel}/p${message.ts.replace('.', '')}${thread}`;
};

/** A message's actions, visible while it is hovered or focused. */
export function MessageToolbar(props: ToolbarProps): ReactNode {
  const { message, inThread, isAwake, onWake } = props;
  const place = useRef<HTMLDivElement>(null);
  const wanted = useRef<{ name: string; isPressed: boolean } | null>(null);
  // the button that opened the toolbar keeps the focus, and is clicked if it was clicked
  useLayoutEffect(() => {
    if (!isAwake || wanted.current === null) return;
    const { name, isPressed } = wanted.current;
    wanted.current = null;
    const button = place.current?.querySelector<HTMLElement>(`button[aria-label="${name}"]`);
    button?.focus();
    if (isPressed) button?.click();
  }, [isAwake]);
  if (message.ts.startsWith('local-')) return null;
  const wake = (name: string, isPressed: boolean): void => {
    wanted.current = { name, isPressed };
    onWake();
  };
  return (
    <div ref={place} className={styles.place}>
      {isAwake ? <WholeToolbar {...props} /> : <RestingToolbar {...toolsOf(message, inThread)} onWake={wake} />}
    </div>
  );
}

function WholeToolbar({ message, channel, inThread, onOpenChange }: ToolbarProps): ReactNode {
  const chat = useChat();
  const navigate = useGo();
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
  const { canReact, canReply } = toolsOf(message, inThread);
  return (
    <div role="toolbar" aria-label="Message actions" className={styles.toolbar}>
      {canReact && (
        <DialogTrigger onOpenChange={onOpenChange}>
          <IconButton label={TOOL_NAMES.react} size="small">
            {TOOL_ICONS.react}
          </IconButton>
          <EmojiPicker onPick={(name) => void toggleReaction(channel, message, name, chat.meId)} />
        </DialogTrigger>
      )}
      {canReply && (
        <IconButton label={TOOL_NAMES.reply} size="small" onPress={() => navigate(chat.threadPath(channel, thread))}>
          {TOOL_ICONS.reply}
        </IconButton>
      )}
      <Menu
        label="Message"
        onOpenChange={onOpenChange}
        trigger={
          <IconButton label={TOOL_NAMES.more} size="small">
            {TOOL_ICONS.more}
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
        {chat.mayInspect && (
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
