import { useState } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { issueFilter, type Filters } from './filters.js';
import { useLookAgain, useTracker } from './live.js';
import { act, ask, ISSUE_FIELDS, type Issue, type Nodes } from './tracker-api.js';
import { complain } from './words.js';

export interface FoundIssues {
  issues: Issue[];
  /** There are older ones that are not shown. */
  isCut: boolean;
}

/** A request asks for a page of each of these, so that one is enough for most boards. */
const KINDS: readonly (readonly string[])[] = [
  ['triage', 'backlog'],
  ['unstarted', 'started'],
  ['completed'],
  ['canceled', 'duplicate'],
];
/** No more pages are asked for once there are as many. */
const MOST = 1_000;

type Page = Nodes<Issue>;

const pageOf = (alias: string): string => `${alias}: issues(first: 250, after: $${alias}After, filter: $${alias}) {
  nodes { ${ISSUE_FIELDS} } pageInfo { hasNextPage endCursor } }`;

const newestFirst = (a: Issue, b: Issue): number =>
  b.createdAt.localeCompare(a.createdAt) || b.identifier.localeCompare(a.identifier);

async function load(filter: object): Promise<FoundIssues> {
  let open = KINDS.map((types, index) => ({
    alias: `kind${index}`,
    filter: { and: [filter, { state: { type: { in: types } } }] },
    after: undefined as string | undefined,
  }));
  const issues: Issue[] = [];
  while (open.length > 0 && issues.length < MOST) {
    const declared = open.map(({ alias }) => `$${alias}: IssueFilter, $${alias}After: String`).join(', ');
    const query = `query (${declared}) { ${open.map(({ alias }) => pageOf(alias)).join(' ')} }`;
    const variables = Object.fromEntries(
      open.flatMap(({ alias, filter: own, after }) => [
        [alias, own],
        [`${alias}After`, after],
      ]),
    );
    const pages = await ask<Record<string, Page>>(query, variables);
    issues.push(...open.flatMap(({ alias }) => pages[alias]?.nodes ?? []));
    open = open.flatMap((one) => {
      const next = pages[one.alias]?.pageInfo;
      return next?.hasNextPage === true ? [{ ...one, after: next.endCursor }] : [];
    });
  }
  return { issues: issues.toSorted(newestFirst), isCut: open.length > 0 };
}

/** The issues of a team that fit filters, the newest first. */
export function useIssues(teamKey: string, filters: Filters): UseQueryResult<FoundIssues> {
  const filter = issueFilter(teamKey, filters);
  return useTracker('issues', [JSON.stringify(filter)], () => load(filter));
}

/** Issues with the states that they are being moved to, before the answer is there. */
export function useMoves(found: readonly Issue[]): {
  issues: readonly Issue[];
  move: (issue: Issue, stateId: string) => void;
} {
  const lookAgain = useLookAgain();
  const [moved, setMoved] = useState<ReadonlyMap<string, string>>(new Map());
  const move = (issue: Issue, stateId: string): void => {
    if (issue.state.id === stateId) return;
    setMoved((before) => new Map(before).set(issue.id, stateId));
    void act('issue_update', { issue: issue.identifier, state: stateId })
      .then(lookAgain, complain)
      .finally(() => setMoved((before) => new Map([...before].filter(([id]) => id !== issue.id))));
  };
  if (moved.size === 0) return { issues: found, move };
  const issues = found.map((issue) => {
    const to = moved.get(issue.id);
    return to === undefined ? issue : { ...issue, state: { id: to } };
  });
  return { issues, move };
}
