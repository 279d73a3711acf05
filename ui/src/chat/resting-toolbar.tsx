import { MessageSquareReply, MoreHorizontal, SmilePlus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Message } from '../api/wire.js';
import buttons from '../kit/button.module.css';
import styles from './toolbar.module.css';

/** The buttons of a message's toolbar. */
export interface Tools {
  readonly canReact: boolean;
  readonly canReply: boolean;
}

/** The buttons' labels, used by screen readers and by the list's keyboard shortcuts. */
export const TOOL_NAMES = { react: 'React', reply: 'Reply in thread', more: 'More' } as const;

export const TOOL_ICONS = {
  react: <SmilePlus size={16} />,
  reply: <MessageSquareReply size={16} />,
  more: <MoreHorizontal size={16} />,
} as const;

export const toolsOf = (message: Message, inThread: boolean): Tools => ({
  canReact: !message.is_ephemeral,
  canReply: !inThread && !message.is_ephemeral,
});

interface RestingProps extends Tools {
  /** A button was focused or pressed: the full toolbar replaces this one. */
  readonly onWake: (name: string, isPressed: boolean) => void;
}

/**
 * The toolbar before it is used: its buttons without tooltips, menus and pickers, which take three quarters of a
 * message's rendering time.
 */
export function RestingToolbar({ canReact, canReply, onWake }: RestingProps): ReactNode {
  const names = (['react', 'reply', 'more'] as const).filter(
    (name) => name === 'more' || (name === 'react' ? canReact : canReply),
  );
  return (
    <div role="toolbar" aria-label="Message actions" className={styles.toolbar}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-label={TOOL_NAMES[name]}
          aria-haspopup={name === 'more' || undefined}
          className={`${buttons.icon} ${buttons.small}`}
          onFocus={() => onWake(TOOL_NAMES[name], false)}
          onClick={() => onWake(TOOL_NAMES[name], true)}
        >
          {TOOL_ICONS[name]}
        </button>
      ))}
    </div>
  );
}
