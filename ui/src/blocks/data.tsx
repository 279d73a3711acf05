import { lazy, Suspense, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { str } from './surface.js';
import styles from './blocks.module.css';

const DataTable = lazy(() => import('./data-table.js').then(({ DataTable: part }) => ({ default: part })));
const Chart = lazy(() => import('./chart.js').then(({ Chart: part }) => ({ default: part })));

/** Keeps a likely height while the code is loaded, so that the messages around stay where they are. */
const Loading = ({ name }: { name: string }): ReactNode => <div className={styles.loadingData}>{name}</div>;

/** A table that is sorted and paged; its code is loaded when the first one is shown. */
export const DataTableBlock = ({ block }: { block: Json }): ReactNode => (
  <Suspense fallback={<Loading name={str(block['caption'])} />}>
    <DataTable block={block} />
  </Suspense>
);

/** A chart; its code is loaded when the first one is shown. */
export const ChartBlock = ({ block }: { block: Json }): ReactNode => (
  <Suspense fallback={<Loading name={str(block['title'])} />}>
    <Chart block={block} />
  </Suspense>
);
