import { MessageSquareReply, MoreHorizontal, SmilePlus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Message } from '../api/wire.js';
import buttons from '../kit/button.module.css';
import styles from './toolbar.module.css';

/** What stands in a message's toolbar. */
export interface Tools {
  readonly canReact: boolean;
  readonly canReply: boolean;
}

/** The buttons' names: as screen readers say them, and as the list's keys find them. */
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
  /** A button got the focus, or was pressed: the whole toolbar takes over from it. */
  readonly onWake: (name: string, isPressed: boolean) => void;
}

/**
 * A toolbar that nobody uses yet: its buttons without tooltips, menus and pickers, which are three quarters of what a
 * message takes to draw.
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
