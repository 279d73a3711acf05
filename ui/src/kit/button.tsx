import type { ReactNode } from 'react';
import { Button as AriaButton, Tooltip, TooltipTrigger, type ButtonProps as AriaProps } from 'react-aria-components';
import styles from './button.module.css';

export interface ButtonProps extends Omit<AriaProps, 'className' | 'style' | 'children'> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger' | 'link';
  readonly size?: 'small' | 'normal';
  readonly children?: ReactNode;
  readonly icon?: ReactNode;
  readonly wide?: boolean;
}

/** A button with a text. */
export function Button({ kind = 'plain', size = 'normal', icon, children, wide, ...rest }: ButtonProps): ReactNode {
  const className = [styles.button, styles[kind], styles[size], wide ? styles.wide : ''].join(' ');
  return (
    <AriaButton {...rest} className={className}>
      {icon}
      {children}
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<AriaProps, 'className' | 'style' | 'children' | 'aria-label'> {
  readonly label: string;
  readonly children: ReactNode;
  readonly pressed?: boolean;
  readonly size?: 'small' | 'normal';
  /** The tooltip, if it says more than the name. */
  readonly hint?: string;
}

/** An icon button; its name is in a tooltip. */
export function IconButton({ label, hint, children, pressed, size = 'normal', ...rest }: IconButtonProps): ReactNode {
  return (
    <TooltipTrigger delay={450} closeDelay={60}>
      <AriaButton
        {...rest}
        aria-label={label}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        className={`${styles.icon} ${styles[size]} ${pressed ? styles.pressed : ''}`}
      >
        {children}
      </AriaButton>
      <Hint>{hint ?? label}</Hint>
    </TooltipTrigger>
  );
}

/** A tooltip. For screen readers it is the description of its trigger, and no text of its own beside the page. */
export function Hint({ children }: { children: ReactNode }): ReactNode {
  return (
    <Tooltip className={styles.hint ?? ''} offset={6} render={(props) => <div {...props} aria-hidden />}>
      {children}
    </Tooltip>
  );
}
