import type { ReactNode } from 'react';
import {
  Header,
  Menu as AriaMenu,
  MenuItem as AriaItem,
  MenuSection as AriaSection,
  MenuTrigger,
  Popover,
  Separator,
  type PopoverProps,
} from 'react-aria-components';
import styles from './menu.module.css';

interface MenuProps {
  readonly label: string;
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly placement?: PopoverProps['placement'];
  readonly onOpenChange?: (open: boolean) => void;
}

/** A button with a menu. */
export function Menu({ label, trigger, children, placement = 'bottom end', onOpenChange }: MenuProps): ReactNode {
  return (
    <MenuTrigger {...(onOpenChange ? { onOpenChange } : {})}>
      {trigger}
      <Popover className={styles.popover ?? ''} {...(placement ? { placement } : {})} offset={4}>
        <AriaMenu aria-label={label} className={styles.menu ?? ''}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

interface ItemProps {
  readonly onAction?: () => void;
  readonly children: ReactNode;
  readonly icon?: ReactNode;
  readonly note?: ReactNode;
  readonly danger?: boolean;
  readonly isDisabled?: boolean;
  readonly textValue?: string;
  readonly shortcut?: string;
}

export function MenuItem({
  onAction,
  children,
  icon,
  note,
  danger,
  isDisabled,
  textValue,
  shortcut,
}: ItemProps): ReactNode {
  const text = textValue ?? (typeof children === 'string' ? children : 'item');
  return (
    <AriaItem
      className={`${styles.item} ${danger ? styles.danger : ''}`}
      textValue={text}
      {...(onAction ? { onAction } : {})}
      {...(isDisabled === undefined ? {} : { isDisabled })}
    >
      {icon !== undefined && <span className={styles.icon}>{icon}</span>}
      {/* all that is seen is the name: a description of its own would have to repeat the words */}
      <span className={styles.words}>
        <span>{children}</span>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </span>
      {shortcut !== undefined && <kbd className={styles.key}>{shortcut}</kbd>}
    </AriaItem>
  );
}

export function MenuSection({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <AriaSection>
      <Header className={styles.header ?? ''}>{title}</Header>
      {children}
    </AriaSection>
  );
}

export const MenuLine = (): ReactNode => <Separator className={styles.line ?? ''} />;
