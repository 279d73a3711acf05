import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp, ChartNoAxesColumn, Download, Eraser, Flag, ListTree, Pause, Play, Radar } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useGo } from '../kit/link.js';
import { useAppNames } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { directory, fullName } from '../api/directory.js';
import { Button, IconButton } from '../kit/button.js';
import { readLocal, writeLocal } from '../kit/local-storage.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { CodeBlock, copyText, Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { urlOf } from '../api/base.js';
import { EntryPane } from './entry-pane.js';
import { exportEntries, exportHar } from './export.js';
import { FilterBar } from './filter-bar.js';
import { readFilters, withFilter, type Filters } from './filters.js';
import { flatLines, groupedLines, totals, type Line } from './groups.js';
import { MethodFigures } from './method-figures.js';
import { curlOf } from './curl.js';
import { TrafficRow } from './traffic-row.js';
import { TrafficStore } from './traffic-store.js';
import { newestFirst, type Entry } from './entries.js';
import styles from './traffic.module.css';

const ROW = 28;

/** Column titles with the class that places their cells. */
const COLUMNS = [
  ['Time', 'atTime'],
  ['Kind', 'atKind'],
  ['Name', 'atName'],
  ['Who', 'atWho'],
  ['Outcome', 'atOutcome'],
  ['ms', 'atMs'],
  ['Preview', 'atPreview'],
] as const;

/** Everything that happens, live, the newest on top. */
export function Traffic({ entry }: { entry: string | undefined }): ReactNode {
  const { team } = useCurrentUser();
  const [search, setSearch] = useSearchParams();
  const navigate = useGo();
  const query = search.toString();
  const filters = useMemo(() => readFilters(new URLSearchParams(query)), [query]);
  const store = useMemo(() => new TrafficStore(team.id, filters), [team.id, filters]);
  useEffect(() => store.start(), [store]);
  const traffic = useStore(store);
  const apps = useAppNames();
  const [paused, setPaused] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [picked, setPicked] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const [isGrouped, setGrouped] = useState(() => readLocal('traffic-groups', false));
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [hasFigures, setFigures] = useState(() => readLocal('traffic-figures', false));
  const users = useStore(directory);
  const people = useMemo(() => new Map([...users.values()].map((user) => [user.id, fullName(user)])), [users]);
  const { entries, waiting } = traffic;
  const lines = useMemo(
    () => (isGrouped ? groupedLines(newestFirst(entries), expanded) : flatLines(newestFirst(entries))),
    [entries, isGrouped, expanded],
  );
  useEffect(() => store.hold(paused || scrolled || entry !== undefined), [store, paused, scrolled, entry]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    getItemKey: (index) => lines[index]?.entry.id ?? index,
  });

  const suffix = query === '' ? '' : `?${query}`;
  const open = useCallback(
    (id: string) => navigate(`/w/${team.id}/inspect/${id}${suffix}`),
    [navigate, team.id, suffix],
  );
  const close = (): void => {
    navigate(`/w/${team.id}/inspect${suffix}`);
    const row = `[data-entry="${CSS.escape(entry ?? '')}"]`;
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(row)?.focus());
  };
  const setFilters = (next: Filters): void => setSearch(next);
  const addFilter = useCallback(
    (key: string, value: string) => setSearch(withFilter(filters, key, value)),
    [setSearch, filters],
  );
  const toggleGroup = useCallback(
    (id: string) =>
      setExpanded((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const mark = async (): Promise<void> => {
    try {
      await rest('POST /sandboxes/self/timeline', {
        body: { text: `mark ${new Date().toLocaleTimeString('en-GB')}` },
      });
      await rest('POST /sandboxes/self/timeline/mark', { body: {} });
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    }
  };
  const clear = (): void => {
    const undo = store.hide();
    const go = (): void =>
      void rest(`DELETE /sandboxes/self/timeline?team_id=${team.id}`).catch((error: unknown) =>
        say(wordsFor(error), { tone: 'bad' }),
      );
    say('Timeline cleared.', { ms: 8_000, action: { label: 'Undo', run: undo }, onGone: go });
  };
  const toTop = (): void => {
    scroller.current?.scrollTo({ top: 0 });
    setPaused(false);
    setScrolled(false);
  };
  const focusRow = (index: number): void => {
    const next = Math.max(0, Math.min(lines.length - 1, index));
    setPicked(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).getAttribute('role') !== 'row')
      return;
    const row = lines[picked]?.entry;
    if (event.key === 'j' || event.key === 'ArrowDown') focusRow(picked + 1);
    else if (event.key === 'k' || event.key === 'ArrowUp') focusRow(picked - 1);
    else if (event.key === 'Home') focusRow(0);
    else if (event.key === 'End') focusRow(lines.length - 1);
    else if (event.key === 'Enter' && row) open(row.id);
    else if (event.key === ' ') setPaused(!paused);
    else if (event.key === 'f') document.querySelector<HTMLInputElement>('[data-filter]')?.focus();
    else if (event.key === 'c' && row) void copyCurl(row);
    else return;
    event.preventDefault();
  };
  const rows = virtual.getVirtualItems();
  return (
    <div className={styles.split}>
      <div className={styles.traffic}>
        <div className={styles.tools}>
          <FilterBar filters={filters} onChange={setFilters} />
          <span className={styles.gap} />
          {waiting.length > 0 && (
            <Button size="small" kind="primary" icon={<ArrowUp size={13} />} onPress={toTop}>
              {waiting.length} new
            </Button>
          )}
          <Button
            size="small"
            icon={paused ? <Play size={13} /> : <Pause size={13} />}
            onPress={() => setPaused(!paused)}
          >
            {paused ? 'Resume' : 'Pause'}
          </Button>
          <IconButton
            size="small"
            label="Group by call"
            pressed={isGrouped}
            onPress={() => {
              writeLocal('traffic-groups', !isGrouped);
              setGrouped(!isGrouped);
            }}
          >
            <ListTree size={14} />
          </IconButton>
          <IconButton
            size="small"
            label="Latency and errors by method"
            pressed={hasFigures}
            onPress={() => {
              writeLocal('traffic-figures', !hasFigures);
              setFigures(!hasFigures);
            }}
          >
            <ChartNoAxesColumn size={14} />
          </IconButton>
          <IconButton size="small" label="Mark" onPress={() => void mark()}>
            <Flag size={14} />
          </IconButton>
          <IconButton size="small" label="Clear" onPress={clear}>
            <Eraser size={14} />
          </IconButton>
          <Menu
            label="Export"
            trigger={
              <IconButton size="small" label="Export">
                <Download size={14} />
              </IconButton>
            }
          >
            <MenuItem onAction={() => leave(exportEntries(team.id, filters))}>JSON, whole entries</MenuItem>
            <MenuItem onAction={() => leave(exportHar(team.id, filters))}>HAR 1.2</MenuItem>
          </Menu>
        </div>
        {hasFigures && <MethodFigures entries={entries} onMethod={(method) => addFilter('method', method)} />}
        <div
          ref={scroller}
          role="grid"
          aria-label="Traffic"
          aria-rowcount={lines.length + 1}
          className={styles.grid}
          tabIndex={entries.length === 0 ? 0 : -1}
          onKeyDown={onKeyDown}
          onScroll={(event) => {
            const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
            setScrolled(scrollTop > ROW);
            if (scrollHeight - scrollTop - clientHeight < clientHeight * 2) void store.loadOlder();
          }}
        >
          <div role="row" className={`${styles.row} ${styles.headRow}`} aria-rowindex={1}>
            {COLUMNS.map(([title, place]) => (
              <span key={title} role="columnheader" className={`${styles.cell} ${styles[place]}`}>
                {title}
              </span>
            ))}
          </div>
          {traffic.isLoading && entries.length === 0 && (
            <div role="row">
              <div role="gridcell">
                <Skeleton rows={12} />
              </div>
            </div>
          )}
          <div
            role="rowgroup"
            className={styles.sheet}
            ref={(element) => element?.style.setProperty('height', `${virtual.getTotalSize()}px`)}
          >
            {rows.map((row) => (
              <TrafficRow
                key={row.key}
                line={lines[row.index] as Line}
                index={row.index}
                start={row.start}
                isOpen={lines[row.index]?.entry.id === entry}
                apps={apps}
                people={people}
                isFocusable={row.index === Math.min(picked, lines.length - 1)}
                isExpanded={expanded.has(lines[row.index]?.entry.id ?? '')}
                onExpand={toggleGroup}
                onFilter={addFilter}
                onOpen={(id) => {
                  setPicked(row.index);
                  open(id);
                }}
              />
            ))}
          </div>
        </div>
        {!traffic.isLoading && entries.length === 0 && (
          <Nothing error={traffic.error} isFiltered={Object.keys(filters).length > 0} />
        )}
        <footer className={styles.foot}>
          {entries.length.toLocaleString()} shown · {traffic.isLive ? 'live' : 'not live'}
          <span className={styles.totals}>{totals(entries)}</span>
        </footer>
      </div>
      {entry !== undefined && <EntryPane key={entry} id={entry} onClose={close} onOpen={open} onFilter={setFilters} />}
    </div>
  );
}

const leave = (work: Promise<void>): void => void work.catch((error: unknown) => say(wordsFor(error), { tone: 'bad' }));

async function copyCurl(entry: Entry): Promise<void> {
  const whole = await rest<Entry & Record<string, unknown>>(`GET /sandboxes/self/timeline/${entry.id}`).catch(
    () => null,
  );
  const curl = whole && curlOf(whole, urlOf('').href.replace(/\/$/, ''));
  if (curl !== null) say((await copyText(curl)) ? 'Copied as curl.' : 'Could not copy.');
}

function Nothing({ error, isFiltered }: { error: unknown; isFiltered: boolean }): ReactNode {
  if (error !== null) return <Empty title={wordsFor(error)} icon={<Radar size={22} />} />;
  if (isFiltered)
    return (
      <Empty title="No entry matches these filters" icon={<Radar size={22} />}>
        Remove a filter, or wait: a match shows up here at once.
      </Empty>
    );
  return (
    <Empty title="No traffic yet" icon={<Radar size={22} />}>
      <p>Every call of your app shows up here the moment it is made. Try one:</p>
      <CodeBlock
        label="curl command"
        text={`curl -sS ${urlOf('api/auth.test').href} -H "Authorization: Bearer $BOT_TOKEN"`}
      />
    </Empty>
  );
}
