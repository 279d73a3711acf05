import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Server } from 'lucide-react';
import { ApiError, wordsFor } from '../api/errors.js';
import type { Sandbox } from '../api/sandbox.js';
import { Button } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Field } from '../kit/field.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { asAdmin, forEach, hasAdminToken, setAdminToken } from './as-admin.js';
import { CreateSandbox } from './create-sandbox.js';
import { SandboxRow } from './sandbox-row.js';
import styles from './sandboxes.module.css';

const TYPED_FROM = 5;

/** The page size, and how much "more" adds. */
const PAGE = 200;

/** All sandboxes of the server. */
export function SandboxesPage(): ReactNode {
  const client = useQueryClient();
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const label = /^([\w./-]+)[=:](.+)$/.exec(filter);
  const query = label ? `&label=${encodeURIComponent(`${label[1]}:${label[2]}`)}` : '';
  const [most, setMost] = useState(PAGE);
  const found = useQuery({
    queryKey: ['sandboxes', query, most],
    queryFn: () => pages(query, most),
    placeholderData: (before) => before,
    refetchInterval: (state) => (state.state.error ? false : 5_000),
    retry: false,
  });
  const attempt = (work: Promise<unknown>, done: string): void =>
    void work.then(
      async () => {
        say(done);
        setChosen(new Set());
        await client.invalidateQueries({ queryKey: ['sandboxes'] });
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const needsToken = found.error instanceof ApiError && (found.error.status === 401 || found.error.status === 403);
  // the server filters by label; names are filtered here
  const wanted = label ? '' : filter.trim().toLowerCase();
  const sandboxes = (found.data?.sandboxes ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const isTyped = deleting.length < TYPED_FROM || typed === String(deleting.length);
  return (
    <main id="main" className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>Sandboxes</h1>
        <Field
          label="Filter"
          hideLabel
          placeholder="name or label: suite=checkout"
          value={filter}
          onChange={setFilter}
        />
        <span className={styles.count}>
          {found.data && `${sandboxes.length} of ${found.data.sandboxes.length}${found.data.more ? '+' : ''}`}
        </span>
        <span className={styles.gap} />
        {chosen.size > 0 && (
          <>
            <span className={styles.count}>{chosen.size} selected</span>
            <Button
              size="small"
              onPress={() =>
                attempt(
                  forEach([...chosen], (id) => asAdmin(`POST /sandboxes/${id}/reset`, {})),
                  'Reset.',
                )
              }
            >
              Reset
            </Button>
            <Button size="small" kind="danger" onPress={() => setDeleting([...chosen])}>
              Delete…
            </Button>
          </>
        )}
        <Button size="small" kind="primary" icon={<Plus size={14} />} onPress={() => setCreating(true)}>
          New
        </Button>
      </header>
      {found.isPending && <Skeleton />}
      {needsToken && <AskToken onToken={() => void client.invalidateQueries({ queryKey: ['sandboxes'] })} />}
      {found.error && !needsToken && <Empty title={wordsFor(found.error)} icon={<Server size={22} />} />}
      {found.data && sandboxes.length === 0 && <Empty title="No sandbox fits" icon={<Server size={22} />} />}
      {sandboxes.length > 0 && (
        <div className={styles.frame} tabIndex={0} role="region" aria-label="Sandboxes">
          <table className={styles.table}>
            <thead>
              <tr>
                {[
                  '',
                  'Name',
                  'Labels',
                  'Team',
                  'Created',
                  'Expires',
                  'Users',
                  'Ch.',
                  'Msgs',
                  'Issues',
                  'Last call',
                  ' ',
                ].map((name) => (
                  <th key={name} scope="col">
                    {name.trim() || <span className="visually-hidden">{name === '' ? 'Select' : 'Actions'}</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sandboxes.map((sandbox) => (
                <SandboxRow
                  key={sandbox.id}
                  sandbox={sandbox}
                  isChosen={chosen.has(sandbox.id)}
                  onChoose={() => toggle(sandbox.id)}
                  onDelete={() => setDeleting([sandbox.id])}
                  attempt={attempt}
                />
              ))}
            </tbody>
          </table>
          {found.data?.more && (
            <div className={styles.more}>
              <Button size="small" onPress={() => setMost(most + PAGE)}>
                Show more
              </Button>
            </div>
          )}
        </div>
      )}
      {creating && (
        <CreateSandbox
          create={(body) => asAdmin('POST /sandboxes', body)}
          onClose={() => setCreating(false)}
          onMade={() => void client.invalidateQueries({ queryKey: ['sandboxes'] })}
        />
      )}
      <Confirm
        title={deleting.length === 1 ? 'Delete this sandbox?' : `Delete ${deleting.length} sandboxes?`}
        verb="Delete"
        isOpen={deleting.length > 0}
        isPending={!isTyped}
        onClose={() => setDeleting([])}
        onConfirm={() => {
          const ids = deleting;
          setDeleting([]);
          setTyped('');
          attempt(
            forEach(ids, (id) => asAdmin(`DELETE /sandboxes/${id}`)),
            'Deleted.',
          );
        }}
      >
        <p>Their workspaces, organizations and credentials are gone at once.</p>
        {deleting.length >= TYPED_FROM && (
          <Field label={`Type ${deleting.length} to go on`} value={typed} onChange={setTyped} />
        )}
      </Confirm>
    </main>
  );
}

/** Loads up to this many, page after page. */
async function pages(query: string, most: number): Promise<{ sandboxes: Sandbox[]; more: boolean }> {
  const all: Sandbox[] = [];
  for (let cursor = ''; ;) {
    const page = await asAdmin<{ sandboxes: Sandbox[]; next_cursor: string }>(
      `GET /sandboxes?limit=${PAGE}${query}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    all.push(...page.sandboxes);
    cursor = page.next_cursor;
    if (cursor === '' || all.length >= most) return { sandboxes: all, more: cursor !== '' };
  }
}

function AskToken({ onToken }: { onToken: () => void }): ReactNode {
  const [token, setToken] = useState('');
  const wasRefused = hasAdminToken();
  return (
    <form
      className={styles.ask}
      onSubmit={(event) => {
        event.preventDefault();
        setAdminToken(token);
        onToken();
      }}
    >
      <Empty title="Sandboxes are for operators" icon={<Server size={22} />}>
        This server requires an admin token. It is kept in this tab’s memory only.
      </Empty>
      <Field
        label="Admin token"
        type="password"
        value={token}
        onChange={setToken}
        autoFocus={wasRefused}
        error={wasRefused && token === '' ? 'The server does not accept this admin token.' : null}
      />
      <Button kind="primary" type="submit" isDisabled={token === ''}>
        Continue
      </Button>
    </form>
  );
}
