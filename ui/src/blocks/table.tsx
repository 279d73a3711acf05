import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { list, str } from './surface.js';
import { RichTextElements } from './rich-text.js';
import styles from './blocks.module.css';

export function TableBlock({ block }: { block: Json }): ReactNode {
  const rows = Array.isArray(block['rows']) ? (block['rows'] as unknown[]) : [];
  const settings = list(block['column_settings']);
  const cellOf = (cell: Json, index: number, head: boolean): ReactNode => {
    const Tag = head ? 'th' : 'td';
    return (
      <Tag
        key={index}
        {...(head ? { scope: 'col' } : {})}
        data-align={str(settings[index]?.['align'])}
        data-wrapped={settings[index]?.['is_wrapped'] !== false}
      >
        {cell['type'] === 'rich_text' ? <RichTextElements elements={list(cell['elements'])} /> : str(cell['text'])}
      </Tag>
    );
  };
  return (
    <div className={styles.tableFrame} tabIndex={0} role="group" aria-label="Table">
      <table className={styles.table}>
        <caption className="visually-hidden">
          Table of {rows.length - 1} rows and {list(rows[0]).length} columns
        </caption>
        <thead>
          <tr>{list(rows[0]).map((cell, index) => cellOf(cell, index, true))}</tr>
        </thead>
        <tbody>
          {rows.slice(1).map((row, index) => (
            <tr key={index}>{list(row).map((cell, at) => cellOf(cell, at, false))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
