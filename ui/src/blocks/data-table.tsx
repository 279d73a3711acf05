import { useState, type ReactNode } from 'react';
import { ArrowDown, ArrowUp, ArrowUpDown, ChevronLeft, ChevronRight } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { IconButton } from '../kit/button.js';
import { RichTextElements, wordsOfRichText } from './rich-text.js';
import { list, str } from './surface.js';
import table from './blocks.module.css';
import styles from './data.module.css';

/** Rows of a page, where the app does not say how many. */
const PAGE_SIZE = 5;

type Sort = { readonly column: number; readonly down: boolean } | null;

const wordsOf = (cell: Json | undefined): string =>
  cell?.['type'] === 'rich_text' ? wordsOfRichText(cell) : str(cell?.['text']);

/** By their numbers where both have one, else by their words. */
function compare(a: Json | undefined, b: Json | undefined): number {
  const [first, second] = [a?.['value'], b?.['value']];
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  return wordsOf(a).localeCompare(wordsOf(b), undefined, { numeric: true });
}

function sorted(rows: readonly Json[][], sort: Sort): readonly Json[][] {
  if (sort === null) return rows;
  const sign = sort.down ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(a[sort.column], b[sort.column]));
}

/** A table with a caption, whose columns sort it and whose rows come in pages. */
export function DataTable({ block }: { block: Json }): ReactNode {
  const [sort, setSort] = useState<Sort>(null);
  const [wanted, setWanted] = useState(0);
  const [head = [], ...all] = (Array.isArray(block['rows']) ? block['rows'] : []).map(list);
  const size = Math.max(1, Number(block['page_size'] ?? PAGE_SIZE) || PAGE_SIZE);
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(wanted, pages - 1);
  const rows = sorted(all, sort).slice(page * size, (page + 1) * size);
  const rowHead = Number(block['row_header_column_index'] ?? 0);
  const isNumber = (column: number): boolean => all.some((row) => row[column]?.['type'] === 'raw_number');
  const toggle = (column: number): void => {
    setWanted(0);
    setSort(sort?.column !== column ? { column, down: false } : sort.down ? null : { column, down: true });
  };
  const caption = str(block['caption']);
  return (
    <div className={styles.data}>
      <div className={table.tableFrame} tabIndex={0} role="group" aria-label={caption}>
        <table className={table.table}>
          <caption className={styles.caption} dir="auto">
            {caption}
          </caption>
          <thead>
            <tr>
              {head.map((cell, column) => {
                const direction = sort?.column === column ? (sort.down ? 'descending' : 'ascending') : 'none';
                const Icon = { none: ArrowUpDown, ascending: ArrowUp, descending: ArrowDown }[direction];
                return (
                  <th key={column} scope="col" aria-sort={direction} data-align={isNumber(column) ? 'right' : ''}>
                    <button type="button" className={styles.sort} onClick={() => toggle(column)}>
                      {wordsOf(cell)}
                      <Icon size={12} aria-hidden />
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => {
                  const Tag = column === rowHead ? 'th' : 'td';
                  return (
                    <Tag
                      key={column}
                      {...(column === rowHead ? { scope: 'row' } : {})}
                      data-align={cell['type'] === 'raw_number' ? 'right' : ''}
                    >
                      {cell['type'] === 'rich_text' ? (
                        <RichTextElements elements={list(cell['elements'])} />
                      ) : (
                        str(cell['text'])
                      )}
                    </Tag>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <div className={styles.pager}>
          <span aria-live="polite">
            {page * size + 1}–{page * size + rows.length} of {all.length}
          </span>
          <IconButton label="Previous page" size="small" isDisabled={page === 0} onPress={() => setWanted(page - 1)}>
            <ChevronLeft size={15} />
          </IconButton>
          <IconButton
            label="Next page"
            size="small"
            isDisabled={page === pages - 1}
            onPress={() => setWanted(page + 1)}
          >
            <ChevronRight size={15} />
          </IconButton>
        </div>
      )}
    </div>
  );
}
