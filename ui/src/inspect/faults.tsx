import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useApps } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useFaults, type Fault } from '../api/sandbox.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { ErrorLine } from '../kit/field.js';
import { Badge, Empty, Skeleton, Id } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import styles from './control.module.css';

interface Sentence {
  readonly app: string;
  readonly method: string;
  readonly where: string;
  readonly type: string;
  readonly value: string;
  readonly times: string;
  readonly skip: string;
  readonly probability: string;
}

const PLAIN: Sentence = {
  app: '',
  method: 'chat.postMessage',
  where: '',
  type: 'ratelimited',
  value: '1',
  times: '1',
  skip: '0',
  probability: '',
};

const PRESETS: readonly (readonly [string, Partial<Sentence>])[] = [
  ['429 once', { type: 'ratelimited', value: '1', times: '1' }],
  ['500 twice', { type: 'http', value: '500', times: '2' }],
  ['slow 3 s', { type: 'delay', value: '3000', times: '1' }],
  ['dropped', { type: 'drop', value: '', times: '1' }],
  ['answer lost', { type: 'lose_answer', value: '', times: '1' }],
  ['10% errors', { type: 'error', value: 'fatal_error', times: '', probability: '0.1' }],
];

/** Each kind's words in the sentence, the meaning of its value, and the default value. */
const KINDS: Readonly<Record<string, readonly [string, string, string]>> = {
  ratelimited: ['429, Retry-After', 'seconds', '1'],
  error: ['the error', 'code', 'fatal_error'],
  http: ['HTTP', 'status', '500'],
  delay: ['after a delay of', 'ms', '3000'],
  drop: ['nothing: the connection closes', '', ''],
  slow: ['slowly, at', 'bytes a second', '100'],
  truncate: ['half of the answer', '', ''],
  lose_answer: ['nothing, though the call took effect', '', ''],
  duplicate: ['once, though the call took effect twice', '', ''],
  expire_stream: ['after its stream expired', '', ''],
};

/** Describes an existing fault in the words of the sentence. */
function faultWords({ type, ...values }: Fault['fault']): string {
  const [words = type.replaceAll('_', ' '), unit = ''] = KINDS[type] ?? [];
  const value = Object.values(values)
    .filter((one) => typeof one !== 'object')
    .join(', ');
  if (value === '') return words;
  return unit === 'code' || unit === 'status' ? `${words} ${value}` : `${words} ${value} ${unit}`.trimEnd();
}

function faultOf({ type, value }: Sentence): Record<string, unknown> {
  const number = Number(value);
  switch (type) {
    case 'ratelimited':
      return { type, retry_after: number };
    case 'error':
      return { type, error: value };
    case 'http':
      return { type, status: number };
    case 'delay':
      return { type, ms: number };
    case 'slow':
      return { type, bytes_per_second: number };
    default:
      return { type };
  }
}

/** A sentence with blanks that makes the next calls fail. */
export function Faults(): ReactNode {
  const { team } = useCurrentUser();
  const [search] = useSearchParams();
  const client = useQueryClient();
  const apps = useApps();
  const faults = useFaults();
  const [sentence, setSentence] = useState<Sentence>(() => ({
    ...PLAIN,
    method: search.get('method') || PLAIN.method,
    app: search.get('app') ?? '',
  }));
  const [error, setError] = useState<string | null>(null);
  const set = (changed: Partial<Sentence>): void => setSentence({ ...sentence, ...changed });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['faults'] });
  const add = async (): Promise<void> => {
    setError(null);
    try {
      const where = sentence.where.trim() === '' ? {} : { where: JSON.parse(sentence.where) as unknown };
      const body = {
        on: { method: sentence.method, ...(sentence.app === '' ? {} : { app: sentence.app }), ...where },
        fault: faultOf(sentence),
        times: sentence.times === '' ? null : Number(sentence.times),
        skip: Number(sentence.skip || 0),
        ...(sentence.probability === '' ? {} : { probability: Number(sentence.probability) }),
      };
      await rest('POST /sandboxes/self/faults', { body });
      await refresh();
    } catch (failure) {
      setError(failure instanceof SyntaxError ? `where: ${failure.message}` : wordsFor(failure));
    }
  };
  const remove = (path: string): void =>
    void rest(`DELETE /sandboxes/self/faults${path}?team_id=${team.id}`).then(refresh, (failure: unknown) =>
      say(wordsFor(failure), { tone: 'bad' }),
    );
  const unit = KINDS[sentence.type]?.[1] ?? '';
  const input = (key: keyof Sentence, label: string, size: number, placeholder = ''): ReactNode => (
    <input
      className={styles.inline}
      aria-label={label}
      size={size}
      placeholder={placeholder}
      value={sentence[key]}
      onChange={(event) => set({ [key]: event.target.value })}
    />
  );
  return (
    <div className={styles.page}>
      <div className={styles.presets} role="group" aria-label="Presets">
        {PRESETS.map(([name, preset]) => (
          <button
            key={name}
            type="button"
            className={styles.preset}
            onClick={() => set({ ...PLAIN, app: sentence.app, method: sentence.method, ...preset })}
          >
            {name}
          </button>
        ))}
      </div>
      <form
        className={styles.sentence}
        aria-label="New fault"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <span className={styles.phrase}>
          When
          <select
            className={styles.inline}
            aria-label="App"
            value={sentence.app}
            onChange={(event) => set({ app: event.target.value })}
          >
            <option value="">any app</option>
            {(apps.data ?? []).map((app) => (
              <option key={app.id} value={app.name}>
                {app.name}
              </option>
            ))}
            {sentence.app !== '' && !apps.data?.some((app) => app.name === sentence.app) && (
              <option value={sentence.app}>{sentence.app}</option>
            )}
          </select>
        </span>
        <span className={styles.phrase}>calls {input('method', 'Method', 22)}</span>
        <span className={styles.phrase}>where {input('where', 'Where', 20, '{"args": …}')}</span>
        <span className={styles.phrase}>
          answer
          <select
            className={styles.inline}
            aria-label="Answer"
            value={sentence.type}
            onChange={(event) => set({ type: event.target.value, value: KINDS[event.target.value]?.[2] ?? '' })}
          >
            {Object.entries(KINDS).map(([type, [name]]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </select>
        </span>
        {unit !== '' && (
          <span className={styles.phrase}>
            {input('value', unit, sentence.type === 'error' ? 16 : 5)} {unit}
          </span>
        )}
        <span className={styles.phrase}>{input('times', 'Times', 3, '∞')} time(s),</span>
        <span className={styles.phrase}>after {input('skip', 'Others first', 3)} others</span>
        {sentence.probability !== '' && (
          <span className={styles.phrase}>with probability {input('probability', 'Probability', 4)}</span>
        )}
        <Button kind="primary" type="submit" size="small">
          Add
        </Button>
      </form>
      <ErrorLine>{error}</ErrorLine>
      {faults.isPending && <Skeleton rows={3} />}
      {faults.error && <Empty title={wordsFor(faults.error)} />}
      {faults.data?.length === 0 && (
        <Empty title="No faults" icon={<Zap size={22} />}>
          Every call is answered normally. Fill in the sentence above to see how your app handles a failure.
        </Empty>
      )}
      {(faults.data?.length ?? 0) > 0 && (
        <>
          <div className={styles.bar}>
            <span className={styles.gap} />
            <Button size="small" onPress={() => remove('')}>
              Remove all
            </Button>
          </div>
          <ul className={styles.rows} aria-label="Faults">
            {(faults.data ?? []).map((fault) => (
              <FaultRow key={fault.id} fault={fault} onRemove={() => remove(`/${fault.id}`)} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function FaultRow({ fault, onRemove }: { fault: Fault; onRemove: () => void }): ReactNode {
  const isDone = fault.times !== null && fault.fired >= fault.times;
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <Id id={fault.id} />
        <strong className={styles.event}>{fault.on.method ?? '*'}</strong>
        <span>{fault.on.app ?? 'any app'}</span>
        <span>{faultWords(fault.fault)}</span>
        {fault.on.where && <code className={styles.id}>{JSON.stringify(fault.on.where)}</code>}
        <span className={styles.gap} />
        <span>
          seen {fault.seen} · fired {fault.fired}
          {fault.times === null ? '' : ` of ${fault.times}${isDone ? '' : `, ${fault.times - fault.fired} left`}`}
        </span>
        <Badge tone={isDone ? 'plain' : 'warn'}>{isDone ? 'done' : 'armed'}</Badge>
        <Button size="small" onPress={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}
