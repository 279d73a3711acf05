import { useState, type ReactNode } from 'react';
import { useApps, type App } from '../api/apps.js';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { directory, fullName } from '../api/directory.js';
import { documentFault } from '../api/document-fault.js';
import type { User } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { DocumentEditor, parseDocument, type DocumentFault } from '../kit/document-editor.js';
import { Choice } from '../kit/field.js';
import { Badge } from '../kit/misc.js';
import { useStore } from '../kit/store.js';
import { say } from '../kit/toasts.js';
import { asJson, nameOf, outcomeOf, whoOf, type Entry } from './entries.js';
import { JsonBox } from './json-box.js';
import styles from './entry.module.css';

interface Replayed {
  /** Null: a fault took the answer away. */
  status: number | null;
  answer: unknown;
  request_id: string | null;
}

/** In whose name a call is made; the server's words. */
interface As {
  readonly app?: string;
  readonly user?: string;
}

/** The key of the recorded caller, for whom the server decides. */
const SAME = 'same';

/** Recorded calls that can be made once more: methods of the Web API and operations of the tracker. */
export const isReplayable = ({ kind, method, caller }: Entry): boolean =>
  kind === 'call' && !/\s|^webhooks\./.test(method ?? ' ') && /^(bot|user|jwt|api_key)$/.test(caller?.kind ?? '');

/** Everybody in whose name the call can be made, by a key for the list. */
function identitiesFor(
  entry: Entry,
  apps: readonly App[],
  users: ReadonlyMap<string, User>,
): Map<string, [As, string]> {
  const nameFor = (id: string): string => {
    const user = users.get(id);
    return user ? fullName(user) : id;
  };
  const isForApps = entry.product !== 'tracker';
  const withUserTokens = apps.filter(({ scopes }) => isForApps && scopes.user.length > 0);
  const people = [...users.values()].filter(({ is_bot, deleted, id }) => !is_bot && !deleted && id !== 'USLACKBOT');
  return new Map<string, [As, string]>([
    ...(isForApps ? apps : []).map((app): [string, [As, string]] => [
      app.id,
      [{ app: app.id }, `${app.name} (bot token)`],
    ]),
    ...withUserTokens.map((app): [string, [As, string]] => [
      `${app.id}:${app.creator}`,
      [{ app: app.id, user: app.creator }, `${app.name} (user token of ${nameFor(app.creator)})`],
    ]),
    ...people.map((user): [string, [As, string]] => [user.id, [{ user: user.id }, nameFor(user.id)]]),
  ]);
}

/** Edits a recorded call and makes it once more, as the same or another identity. */
export function Replay({
  entry,
  onClose,
  onOpen,
}: {
  entry: Entry;
  onClose: () => void;
  onOpen: (id: string) => void;
}): ReactNode {
  const { team } = useCurrentUser();
  const apps = useApps().data ?? [];
  const identities = identitiesFor(entry, apps, useStore(directory));
  const { token: _token, ...recorded } = asJson(entry.args) ?? {};
  const [source, setSource] = useState(() => JSON.stringify(recorded, null, 2));
  const [who, setWho] = useState(SAME);
  const [fault, setFault] = useState<DocumentFault | null>(null);
  const [result, setResult] = useState<Replayed | null>(null);
  const [isBusy, setBusy] = useState(false);
  const path = `/sandboxes/self/timeline`;
  const send = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const as = identities.get(who)?.[0];
      const body = { args: (await parseDocument(source)) ?? {}, ...(as && { as }) };
      setResult(
        await rest<Replayed & Record<string, unknown>>(`POST ${path}/${entry.id}/replay?team_id=${team.id}`, { body }),
      );
    } catch (failure) {
      setResult(null);
      setFault(await documentFault(source, failure));
    } finally {
      setBusy(false);
    }
  };
  const show = async (requestId: string): Promise<void> => {
    const where = JSON.stringify({ request_id: requestId });
    const query = new URLSearchParams({ kind: 'call', where, limit: '1', view: 'summary', team_id: team.id });
    const { entries } = await rest<{ entries: Entry[] }>(`GET ${path}?${query.toString()}`);
    const [found] = entries;
    if (!found) {
      say('The call was not recorded.', { tone: 'bad' });
      return;
    }
    onClose();
    onOpen(found.id);
  };
  const requestId = result?.request_id ?? null;
  return (
    <Dialog
      title={`Replay ${nameOf(entry)}`}
      size="large"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          {requestId !== null && <Button onPress={() => void show(requestId)}>Show in traffic</Button>}
          <Button kind="primary" isDisabled={isBusy} onPress={() => void send()}>
            {result ? 'Send again' : 'Send'}
          </Button>
        </>
      }
    >
      <div className={styles.replay}>
        <Choice
          label="Call as"
          value={who}
          options={[
            [SAME, `${whoOf(entry)} (as recorded)`],
            ...[...identities].map(([key, [, words]]) => [key, words] as const),
          ]}
          onChange={setWho}
        />
        {asJson(entry.args) === undefined && <p>The recorded arguments were too long to keep. Enter them here.</p>}
        <DocumentEditor label="Arguments" language="json" source={source} fault={fault} onChange={setSource} />
        {result && (
          <section aria-label="Answer" aria-live="polite">
            <h3 className={styles.replayTitle}>
              Answer <ReplayOutcome product={entry.product} result={result} />
            </h3>
            {result.status === null ? <p>A fault took the answer away.</p> : <JsonBox value={result.answer} />}
          </section>
        )}
      </div>
    </Dialog>
  );
}

function ReplayOutcome({ product, result }: { product: string | undefined; result: Replayed }): ReactNode {
  const { status, answer } = result;
  if (status === null) return <Badge tone="bad">none</Badge>;
  const { ok, error, errors } = asJson(answer) ?? {};
  const isOk = status < 400 && (product === 'tracker' ? errors === undefined : ok !== false);
  const outcome = outcomeOf({
    id: '',
    at: '',
    wall: '',
    kind: 'call',
    ok: isOk,
    status,
    error: typeof error === 'string' ? error : isOk ? null : String(status),
  });
  return <Badge tone={outcome.tone}>{outcome.words}</Badge>;
}
