import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { App } from '../api/apps.js';
import { rest } from '../api/client.js';
import { documentFault } from '../api/document-fault.js';
import { Button } from '../kit/button.js';
import { DocumentEditor, parseDocument, type DocumentFault } from '../kit/document-editor.js';
import { say } from '../kit/toasts.js';
import { diffLines, hunksOf, type DiffLine } from './diff.js';

import styles from './apps.module.css';

/** An app's manifest, edited in place; its tokens are kept. */
export function Manifest({ app }: { app: App }): ReactNode {
  const stored = JSON.stringify(app.manifest ?? {}, null, 2);
  const [source, setSource] = useState(stored);
  const [fault, setFault] = useState<DocumentFault | null>(null);
  const client = useQueryClient();
  const save = async (): Promise<void> => {
    setFault(null);
    try {
      await rest(`PUT /apps/${app.id}/manifest`, { body: { manifest: await parseDocument(source) } });
      say('Manifest saved.');
      await client.invalidateQueries();
    } catch (failure) {
      setFault(await documentFault(source, failure));
    }
  };
  return (
    <div className={styles.section}>
      <DocumentEditor label="Manifest" language="json" source={source} fault={fault} onChange={setSource} />
      {source !== stored && <Changes before={stored} after={source} />}
      <div className={styles.buttons}>
        <Button kind="primary" isDisabled={source === stored} onPress={() => void save()}>
          Save
        </Button>
        <Button
          isDisabled={source === stored}
          onPress={() => {
            setSource(stored);
            setFault(null);
          }}
        >
          Undo
        </Button>
      </div>
    </div>
  );
}

const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** The difference between the edited manifest and the saved one. */
function Changes({ before, after }: { before: string; after: string }): ReactNode {
  const lines = hunksOf(diffLines(before, after));
  const words = (line: DiffLine | null): string => (line === null ? '⋯' : `${line.mark} ${line.text}`);
  return (
    <pre className={styles.diff} tabIndex={0} role="region" aria-label="Changes">
      {lines.map((line, place) => (
        <span key={place} className={line === null ? styles.skipped : styles[CLASSES[line.mark]]}>
          {words(line)}
        </span>
      ))}
    </pre>
  );
}
