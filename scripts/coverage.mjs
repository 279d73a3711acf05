// docs/COVERAGE.md: the methods of Slack's Web API and the operations of Linear's GraphQL API that the official clients
// know, by what is there. The lists are the clients' own, so a newer client shows what is missing.
import { LinearDocument } from '@linear/sdk';
import { WebClient } from '@slack/web-api';
import { parse, validate } from 'graphql';

const byName = (a, b) => (a < b ? -1 : 1);

/** All methods that the client can call: each is a function in a tree of objects. */
function methodsOf(tree, prefix = '', seen = new Set()) {
  return Object.entries(tree).flatMap(([name, value]) => {
    if (typeof value === 'function') return [prefix + name];
    if (value === null || typeof value !== 'object' || seen.has(value)) return [];
    seen.add(value);
    return methodsOf(value, `${prefix}${name}.`, seen);
  });
}

function slackMethods() {
  const client = new WebClient('xoxb-none');
  const families = Object.entries(client).filter(
    ([name, value]) => /^[a-z][A-Za-z]*$/.test(name) && value?.constructor === Object && name !== 'axios',
  );
  return families.flatMap(([name, family]) => methodsOf(family, `${name}.`));
}

/** Lists names by a group each, as rows: the group, what is there, what is not. */
function rowsBy(groupOf, names, isThere) {
  const groups = new Map();
  for (const name of [...names].sort(byName)) {
    const group = groupOf(name);
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const listed = (list) => list.map((name) => `\`${name}\``).join(', ');
  return [...groups].map(([group, members]) => [
    group,
    listed(members.filter(isThere)),
    listed(members.filter((name) => !isThere(name))),
  ]);
}

/** @param methods names of our methods and whether each is in the core */
export function slackCoverage(methods) {
  const ours = new Map(methods.map(({ name, isCore }) => [name, isCore]));
  const known = slackMethods().filter((name) => !name.startsWith('admin.'));
  return {
    there: known.filter((name) => ours.has(name)).length,
    of: known.length,
    rows: rowsBy(
      (name) => `${name.split('.')[0]}`,
      known,
      (name) => ours.has(name),
    ),
  };
}

/** The root fields of the SDK's documents; one is there where every document that asks for it is valid here. */
export function linearCoverage(schema) {
  const fields = new Map();
  let valid = 0;
  const documents = Object.entries(LinearDocument).filter(([name]) => name.endsWith('Document'));
  for (const [, document] of documents) {
    const parsed = parse(String(document));
    const { selectionSet } = parsed.definitions.find(({ kind }) => kind === 'OperationDefinition');
    const isValid = validate(schema, parsed).length === 0;
    if (isValid) valid += 1;
    for (const { name } of selectionSet.selections) {
      const all = fields.get(name.value) ?? [];
      fields.set(name.value, [...all, isValid]);
    }
  }
  const isThere = (name) => fields.get(name).every(Boolean);
  const isPartly = (name) => !isThere(name) && fields.get(name).some(Boolean);
  const groupOf = (name) => /^[a-z]+?(?=s?(?:[A-Z]|$))/.exec(name)?.[0] ?? name;
  const rows = rowsBy(groupOf, [...fields.keys()], (name) => isThere(name) || isPartly(name));
  return { valid, of: documents.length, rows, partly: [...fields.keys()].filter(isPartly).sort(byName) };
}
