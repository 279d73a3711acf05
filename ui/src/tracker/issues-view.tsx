import { useEffect, useState, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { Columns3, ListFilter, Plus, Rows3, X } from 'lucide-react';
import { useCurrentUser } from '../api/current-user.js';
import { Button, IconButton } from '../kit/button.js';
import { useGo } from '../kit/link.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { useTeamFacts, type TeamFacts } from './facts.js';
import { chipsOf, FIELDS, optionsOf, readFilters, toggled, withParameter, wordsOf, type Field } from './filters.js';
import { IssueBoard } from './issue-board.js';
import { useIssueChanges, type Choice } from './issue-changes.js';
import { IssueList } from './issue-list.js';
import { useIssues, useMoves, type FoundIssues } from './issues-data.js';
import { lastList } from './last-list.js';
import { NewIssue } from './new-issue.js';
import { Picker } from './picker.js';
import { focusedIssue, focusRow, stepRow, useScreenKeys } from './screen-keys.js';
import type { Issue } from './tracker-api.js';
import { refusal } from './words.js';
import styles from './tracker.module.css';

const NONE: readonly Issue[] = [];

/** The issues of a team, as a list or a board. */
export function IssuesView({ teamKey }: { teamKey: string }): ReactNode {
  const facts = useTeamFacts(teamKey);
  // asked for while the team is, as both go by its key
  const found = useIssues(teamKey, readFilters(useSearch()));
  if (facts === undefined) return <Skeleton />;
  if (facts === null) return <Empty title={`There is no team ${teamKey}, or you cannot see it.`} />;
  return <Issues key={facts.team.id} facts={facts} found={found} />;
}

function Issues({ facts, found }: { facts: TeamFacts; found: UseQueryResult<FoundIssues> }): ReactNode {
  const { team } = useCurrentUser();
  const search = useSearch();
  const go = useGo();
  const [isMaking, setMaking] = useState<string | null>(null);
  const [filtering, setFiltering] = useState<Field | 'fields' | null>(null);
  const changes = useIssueChanges(facts);
  const filters = readFilters(search);
  const isBoard = new URLSearchParams(search).get('view') === 'board';
  const at = `/w/${team.id}/t/${facts.team.key}`;
  const to = (query: string): void => go(query === '' ? at : `${at}?${query}`, { replace: true });
  lastList.search = search;
  useEffect(() => {
    if (!found.data || lastList.issue === null) return;
    focusRow(lastList.issue);
    lastList.issue = null;
  }, [found.data]);
  const { issues, move } = useMoves(found.data?.issues ?? NONE);
  const change = (what: Choice) => (): void => {
    const issue = issues.find(({ identifier }) => identifier === focusedIssue());
    if (issue) changes.choose(what, issue);
  };
  const switchView = (): void => to(withParameter(search, 'view', isBoard ? '' : 'board'));
  useScreenKeys({
    c: () => setMaking(''),
    b: switchView,
    f: () => setFiltering('fields'),
    a: change('assignee'),
    d: change('delegate'),
    s: change('state'),
    p: change('priority'),
    j: () => stepRow(1),
    k: () => stepRow(-1),
    ArrowDown: () => stepRow(1),
    ArrowUp: () => stepRow(-1),
  });
  const chips = chipsOf(filters);
  const isFiltered = chips.length > 0 || filters.text !== '';
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.h1}>
          {facts.team.name} <span className={styles.count}>{found.data ? issues.length : ''}</span>
        </h1>
        <input
          type="search"
          className={styles.search}
          aria-label={`Search issues of ${facts.team.key}`}
          placeholder="Search issues"
          value={filters.text}
          onChange={(event) => to(withParameter(search, 'text', event.target.value))}
        />
        <IconButton
          label={isBoard ? 'Show as a list' : 'Show as a board'}
          hint={isBoard ? 'List (B)' : 'Board (B)'}
          onPress={switchView}
        >
          {isBoard ? <Rows3 size={16} /> : <Columns3 size={16} />}
        </IconButton>
        <Button icon={<ListFilter size={14} />} onPress={() => setFiltering('fields')}>
          Filter
        </Button>
        <Button kind="primary" icon={<Plus size={14} />} onPress={() => setMaking('')}>
          New issue
        </Button>
      </header>
      {chips.length > 0 && (
        <ul className={styles.chips} aria-label="Filters">
          {chips.map(({ field, value }) => {
            const words = `${FIELDS[field]}: ${wordsOf(field, value, facts)}`;
            return (
              <li key={`${field} ${value}`} className={styles.chip}>
                {words}
                <button
                  type="button"
                  className={styles.chipOff}
                  aria-label={`Remove the filter ${words}`}
                  onClick={() => to(toggled(search, field, value))}
                >
                  <X size={12} />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {found.error && <Empty title={refusal(found.error)} />}
      {found.isPending && <Skeleton />}
      {found.data && issues.length === 0 && !isBoard && (
        <Empty title={isFiltered ? 'No issue fits these filters.' : 'No issues yet.'}>
          {isFiltered ? 'Take one of the filters away.' : 'Press C to make one, or let your app call issueCreate.'}
        </Empty>
      )}
      {found.data && isBoard && <IssueBoard facts={facts} issues={issues} at={at} changes={changes} onMove={move} />}
      {found.data && issues.length > 0 && !isBoard && (
        <IssueList facts={facts} issues={issues} at={at} changes={changes} />
      )}
      {found.data?.isCut && (
        <p className={styles.cut}>These are {issues.length} of the newest. A filter finds older ones.</p>
      )}
      {isMaking !== null && <NewIssue facts={facts} onClose={() => setMaking(null)} />}
      {filtering === 'fields' && (
        <Picker
          title="Filter by"
          options={Object.entries(FIELDS).map(([id, words]) => ({ id, words }))}
          chosen={[]}
          // the list of values takes its place
          onPick={(field) => setTimeout(() => setFiltering(field as Field))}
          onClose={() => setFiltering(null)}
        />
      )}
      {filtering !== null && filtering !== 'fields' && (
        <Picker
          title={FIELDS[filtering]}
          options={optionsOf(filtering, facts)}
          chosen={filters.values[filtering]}
          isMany
          onPick={(value) => to(toggled(search, filtering, value))}
          onClose={() => setFiltering(null)}
        />
      )}
      {changes.picker}
    </>
  );
}
