import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, GitCompare } from 'lucide-react';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { wordsFor } from '../api/errors.js';
import { useSnapshots } from '../api/sandbox.js';
import type { Json } from '../api/wire.js';
import { Choice } from '../kit/field.js';
import { JsonView } from '../kit/json-view.js';
import { Empty, Skeleton } from '../kit/misc.js';
import styles from './changes.module.css';

interface Changed {
  readonly id: string;
  readonly before: Json;
  readonly after: Json;
  readonly fields: readonly string[];
}

interface Answer {
  readonly added: Readonly<Record<string, readonly Json[]>>;
  readonly changed: Readonly<Record<string, readonly Changed[]>>;
  readonly removed: Readonly<Record<string, readonly Json[]>>;
  readonly truncated: boolean;
}

type Kind = 'added' | 'changed' | 'removed';

const SIGNS: Readonly<Record<Kind, string>> = { added: '+', changed: '~', removed: '−' };

/** What the workspace has that it did not have at the baseline, or at a snapshot; read from the rows themselves. */
export function ChangesPanel(): ReactNode {
  const { team } = useCurrentUser();
  const snapshots = useSnapshots();
  const [since, setSince] = useState('baseline');
  const found = useQuery({
    queryKey: ['changes', team.id, since],
    queryFn: () =>
      rest<Answer & Record<string, unknown>>(
        `GET /sandboxes/self/changes?${new URLSearchParams({ since, team_id: team.id }).toString()}`,
      ),
    refetchInterval: (query) => (query.state.error ? false : 5_000),
    retry: false,
  });
  const names = (snapshots.data ?? []).map(({ name }) => name).filter((name) => name !== 'baseline');
  const data = found.data;
  const entities = data
    ? [...new Set([data.added, data.changed, data.removed].flatMap((part) => Object.keys(part)))].sort()
    : [];
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <Choice
          label="Changes since"
          value={since}
          options={[['baseline', 'Baseline'], ...names.map((name) => [name, name] as const)]}
          onChange={setSince}
        />
        <span className={styles.note}>
          compared with now{data?.truncated === true && ', the first 1,000 of a kind'}
        </span>
      </div>
      {found.isPending && <Skeleton />}
      {found.error && <Empty title={wordsFor(found.error)} icon={<GitCompare size={22} />} />}
      {data && entities.length === 0 && (
        <Empty title="No changes" icon={<GitCompare size={22} />}>
          Everything is as it was then.
        </Empty>
      )}
      {data &&
        entities.map((entity) => (
          <section key={entity} className={styles.entity} aria-label={entity}>
            <h2 className={styles.title}>{entity.replaceAll('_', ' ')}</h2>
            <ul className={styles.rows}>
              {(data.added[entity] ?? []).map((row) => (
                <Row key={`+${idOf(row)}`} kind="added" row={row} />
              ))}
              {(data.changed[entity] ?? []).map((row) => (
                <Row key={`~${row.id}`} kind="changed" row={row.after} change={row} />
              ))}
              {(data.removed[entity] ?? []).map((row) => (
                <Row key={`-${idOf(row)}`} kind="removed" row={row} />
              ))}
            </ul>
          </section>
        ))}
    </div>
  );
}

const idOf = (row: Json): string => JSON.stringify([row['channel'], row['id'], row['ts'], row['name'], row['user']]);

/** The field that says most of an object. */
function titleOf(row: Json): string {
  const field = ['text', 'title', 'identifier', 'name', 'id', 'ts'].find(
    (key) => typeof row[key] === 'string' && row[key] !== '',
  );
  return field === undefined ? JSON.stringify(row) : (row[field] as string);
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

function Row({ kind, row, change }: { kind: Kind; row: Json; change?: Changed }): ReactNode {
  const [open, setOpen] = useState(false);
  const Arrow = open ? ChevronDown : ChevronRight;
  const place = row['channel_name'];
  return (
    <li className={styles.row}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Arrow size={14} aria-hidden />
        <span className={styles[kind]} role="img" aria-label={kind}>
          {SIGNS[kind]}
        </span>
        {typeof place === 'string' && <span className={styles.note}>#{place}</span>}
        <span className={styles.cut}>{titleOf(row)}</span>
        {change && <span className={styles.note}>{change.fields.join(', ')}</span>}
      </button>
      {open && (
        <div className={styles.inner}>
          {change ? (
            <table className={styles.fields}>
              <thead>
                <tr>
                  <th>Field</th>
                  <th>Before</th>
                  <th>After</th>
                </tr>
              </thead>
              <tbody>
                {change.fields.map((field) => (
                  <tr key={field}>
                    <td>{field}</td>
                    <td className={styles.before}>{shown(change.before[field])}</td>
                    <td className={styles.after}>{shown(change.after[field])}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ) : (
            <JsonView value={row} />
          )}
        </div>
      )}
    </li>
  );
}
