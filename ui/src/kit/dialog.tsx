import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { X } from 'lucide-react';
import { Button, IconButton } from './button.js';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the bottom. */
  readonly actions?: ReactNode;
  readonly size?: 'small' | 'normal' | 'large';
  readonly note?: ReactNode;
  readonly role?: 'dialog' | 'alertdialog';
}

/** A modal dialog; the focus moves in, and back when it closes. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
  size = 'normal',
  note,
  role = 'dialog',
}: DialogProps): ReactNode {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === 'dialog'}
      className={styles.overlay ?? ''}
    >
      <Modal className={`${styles.modal} ${styles[size]}`}>
        <AriaDialog role={role} className={styles.dialog ?? ''}>
          <header className={styles.head}>
            <Heading slot="title" level={2} className={styles.title ?? ''}>
              {title}
            </Heading>
            {note !== undefined && <span className={styles.note}>{note}</span>}
            <IconButton label="Close" onPress={onClose}>
              <X size={16} />
            </IconButton>
          </header>
          <div className={styles.body}>{children}</div>
          {actions !== undefined && <footer className={styles.actions}>{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly verb: string;
  /** The words of the button that does nothing. */
  readonly denial?: string;
  readonly children: ReactNode;
  readonly isPending?: boolean;
}

/** Asks for confirmation before something that cannot be undone. */
export function Confirm({
  title,
  isOpen,
  onClose,
  onConfirm,
  verb,
  denial = 'Cancel',
  children,
  isPending,
}: ConfirmProps): ReactNode {
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      role="alertdialog"
      size="small"
      actions={
        <>
          <Button onPress={onClose}>{denial}</Button>
          <Button kind="danger" onPress={onConfirm} isDisabled={isPending ?? false} autoFocus>
            {verb}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
