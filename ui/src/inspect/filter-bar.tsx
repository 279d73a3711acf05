import { useState, type FormEvent, type ReactNode } from 'react';
import { Plus, Star, X } from 'lucide-react';
import { useApps } from '../api/apps.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice, Field } from '../kit/field.js';
import {
  chipWords,
  DIRECTIONS,
  FILTER_NAMES,
  PRESETS,
  sameFilters,
  withFilter,
  type Filters,
  type Preset,
} from './filters.js';
import styles from './traffic.module.css';

/** Filters of the list: text, presets, chips. All of them are kept in the address. They stand in the list's toolbar. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (next: Filters) => void }): ReactNode {
  const [text, setText] = useState(filters['text'] ?? '');
  const [adding, setAdding] = useState(false);
  const [own, setOwn] = useState(() => readLocal<Preset[]>('presets', []));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(withFilter(filters, 'text', text.trim()));
  };
  const save = (): void => {
    const name = Object.entries(filters)
      .map(([key, value]) => chipWords(key, value))
      .join(', ')
      .slice(0, 60);
    const next = [...own.filter((preset) => preset.name !== name), { name, filters }].slice(-12);
    setOwn(next);
    writeLocal('presets', next);
  };
  const remove = (name: string): void => {
    const next = own.filter((preset) => preset.name !== name);
    setOwn(next);
    writeLocal('presets', next);
  };
  const active = Object.entries(filters).filter(([key]) => key !== 'text');
  return (
    <>
      <form onSubmit={submit} role="search" aria-label="Filter traffic">
        <input
          type="search"
          data-filter
          className={styles.text}
          aria-label="Filter by text"
          placeholder="Search"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            if (event.target.value === '') onChange(withFilter(filters, 'text', null));
          }}
        />
      </form>
      <div className={styles.presets} role="group" aria-label="Presets">
        {PRESETS.map((preset) => (
          <button
            key={preset.name}
            type="button"
            className={styles.preset}
            aria-pressed={sameFilters(filters, preset.filters)}
            onClick={() => onChange(preset.filters)}
          >
            {preset.name}
          </button>
        ))}
        {own.map((preset) => (
          <span key={preset.name}>
            <button
              type="button"
              className={styles.preset}
              aria-pressed={sameFilters(filters, preset.filters)}
              onClick={() => onChange(preset.filters)}
            >
              {preset.name}
            </button>
            <Button
              size="small"
              kind="quiet"
              aria-label={`Forget ${preset.name}`}
              icon={<X size={12} />}
              onPress={() => remove(preset.name)}
            />
          </span>
        ))}
        {Object.keys(filters).length > 0 &&
          ![...PRESETS, ...own].some((preset) => sameFilters(preset.filters, filters)) && (
            <Button size="small" kind="quiet" icon={<Star size={13} />} onPress={save}>
              Save
            </Button>
          )}
      </div>
      {active.map(([key, value]) => (
        <button
          key={key}
          type="button"
          className={styles.chip}
          onClick={() => onChange(withFilter(filters, key, null))}
          aria-label={`${chipWords(key, value)}: remove`}
        >
          {chipWords(key, value)}
          <X size={12} aria-hidden />
        </button>
      ))}
      <Button size="small" kind="quiet" icon={<Plus size={13} />} onPress={() => setAdding(true)}>
        Filter
      </Button>
      {adding && (
        <AddFilter onClose={() => setAdding(false)} onAdd={(key, value) => onChange(withFilter(filters, key, value))} />
      )}
    </>
  );
}

const CHOICES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  kind: [
    ...Object.entries(DIRECTIONS),
    ...['call', 'event', 'received', 'fault', 'note', 'reset', 'seed', 'snapshot', 'clock'].map(
      (kind) => [kind, kind] as const,
    ),
  ],
  product: [
    ['chat', 'Chat'],
    ['tracker', 'Tracker'],
  ],
  ok: [
    ['true', 'ok'],
    ['false', 'failed'],
  ],
  caller: ['bot', 'user', 'app', 'jwt', 'api_key', 'webhook'].map((kind) => [kind, kind.replace('_', ' ')] as const),
  since: [
    ['mark', 'the last mark'],
    ['-5m', '5 minutes ago'],
    ['-60m', '1 hour ago'],
  ],
  client: [
    ['any', 'with those of this UI'],
    ['ui', 'only those of this UI'],
    ['replay', 'only replayed calls'],
  ],
};

function AddFilter({
  onClose,
  onAdd,
}: {
  onClose: () => void;
  onAdd: (key: string, value: string) => void;
}): ReactNode {
  const apps = useApps();
  const [key, setKey] = useState('method');
  const [value, setValue] = useState('');
  const choices = key === 'app_id' ? (apps.data ?? []).map((app) => [app.id, app.name] as const) : CHOICES[key];
  const chosen = value === '' && choices ? (choices[0]?.[0] ?? '') : value;
  const add = (): void => {
    onAdd(key, chosen.trim());
    onClose();
  };
  return (
    <Dialog
      title="Add a filter"
      size="small"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={chosen.trim() === ''} onPress={add}>
            Add filter
          </Button>
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen.trim() !== '') add();
        }}
      >
        <Choice
          label="By"
          value={key}
          options={Object.entries(FILTER_NAMES).filter(([name]) => name !== 'text')}
          onChange={(next) => {
            setKey(next);
            setValue('');
          }}
        />
        {choices ? (
          <Choice label="Is" value={chosen} options={choices} onChange={setValue} />
        ) : (
          <Field
            label="Is"
            autoFocus
            value={value}
            onChange={setValue}
            note={key === 'method' ? 'chat.postMessage, or a family: conversations.*' : 'Several, separated by commas'}
          />
        )}
      </form>
    </Dialog>
  );
}
