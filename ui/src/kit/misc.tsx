import { useEffect, useState, type ReactNode } from 'react';
import { Check, Copy } from 'lucide-react';
import { Button, IconButton } from './button.js';
import styles from './misc.module.css';

/** Also copies without a secure context, as on plain http to another machine. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function CopyButton({
  text,
  label = 'Copy',
  words,
}: {
  text: string | (() => string | Promise<string>);
  label?: string;
  words?: boolean;
}): ReactNode {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1_600);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async (): Promise<void> => {
    setDone(await copyText(typeof text === 'string' ? text : await text()));
  };
  const icon = done ? <Check size={14} /> : <Copy size={14} />;
  if (words) {
    return (
      <Button size="small" icon={icon} onPress={() => void copy()}>
        {done ? 'Copied' : label}
      </Button>
    );
  }
  return (
    <IconButton label={done ? 'Copied' : label} size="small" onPress={() => void copy()}>
      {icon}
    </IconButton>
  );
}

/** An id that can be copied. */
export const Id = ({ id }: { id: string }): ReactNode => (
  <span className={styles.id}>
    <code>{id}</code>
    <CopyButton label={`Copy ${id}`} text={id} />
  </span>
);

/** What to do next when a list is empty. */
export function Empty({ title, icon, children }: { title: string; icon?: ReactNode; children?: ReactNode }): ReactNode {
  return (
    <div className={styles.empty}>
      {icon !== undefined && <span className={styles.emptyIcon}>{icon}</span>}
      <p className={styles.emptyTitle}>{title}</p>
      {children !== undefined && <div className={styles.emptyText}>{children}</div>}
    </div>
  );
}

/** Grey bars while loading, only when it takes noticeably long. */
export function Skeleton({ rows = 6 }: { rows?: number }): ReactNode {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div className={styles.skeleton} aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles.bar} />
      ))}
    </div>
  );
}

export const Badge = ({
  children,
  tone = 'plain',
}: {
  children: ReactNode;
  tone?: 'plain' | 'ok' | 'warn' | 'bad' | 'accent';
}): ReactNode => <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>;

/** A token or a command on one line, with a copy button. */
export function Secret({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <div className={styles.secret}>
      <span className={styles.secretLabel}>{label}</span>
      <code className={styles.secretValue}>{value}</code>
      <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
    </div>
  );
}

/** A block of code with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }): ReactNode {
  return (
    <div className={styles.codeBlock}>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <span className={styles.codeCopy}>
        <CopyButton text={text} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
