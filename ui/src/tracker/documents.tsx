import { useState, type ReactNode } from 'react';
import { FileText } from 'lucide-react';
import { MarkdownBlock } from '../blocks/markdown.js';
import { Dialog } from '../kit/dialog.js';
import { Comments } from './comments.js';
import type { Facts } from './facts.js';
import type { Document } from './tracker-api.js';
import styles from './parts.module.css';

/** A document in a list; it opens in a dialog, with what is said about it. */
export function DocumentItem({ document, facts }: { document: Document; facts: Facts }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { id, title, content } = document;
  return (
    <li>
      <FileText size={14} aria-hidden className={styles.mark} />
      <button type="button" className={styles.open} onClick={() => setOpen(true)}>
        {title}
      </button>
      {isOpen && (
        <Dialog title={title} isOpen size="large" onClose={() => setOpen(false)}>
          {content ? <MarkdownBlock block={{ text: content }} /> : <p>There is nothing in it yet.</p>}
          <Comments of="document" id={id} label={`Comment on ${title}`} facts={facts} />
        </Dialog>
      )}
    </li>
  );
}
