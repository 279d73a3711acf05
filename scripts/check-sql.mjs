// Hand-written SQL belongs in `*.queries.ts` alone, where each says why it is hand-written; plain loads and writes go
// through the entities (CONTRIBUTING.md). Specs may read by SQL, but write through the API, builders and
// `test/support/rows.ts`. Comments are ignored, so a statement may be cited in one.
// A table belongs to the room where its entity lies (`*.entity.ts`). Statements name tables of their own room and of those
// that it stands on; for what else one needs there is a part with a name in the room of the table, or the file says
// which tables of other rooms it names, and why: `Tables of other rooms: issues, labels. …`.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { CHAT_FLOORS, TRACKER_FLOORS } from '../.dependency-cruiser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const EXCEPTIONS = [
  // the layer that implements statements, sessions and migrations
  /^src\/kernel\/database\//,
  // what an entity declares once about itself: derived columns, filters, sorts and connections as parts of conditions
  /\.entity\.ts$/,
  // one field for all rows of a page, declared next to its entity
  /\.loaders\.ts$/,
  // the compiler of filters, sorts and pages, which joins those parts
  /^src\/tracker\/query\//,
  // the parts themselves, which entities declare sorts and connections with
  /^src\/tracker\/store\/(connections|sort-keys)\.ts$/,
];

const SPECS_THAT_WRITE = [
  // the builders
  /^test\/support\//,
  // they test the embedded database itself, without the product's tables
  /^test\/kernel\/pglite/,
  // it writes as an earlier version did
  /^test\/process\/upgrade\.spec\.ts$/,
  // it measures one statement over many rows
  /^test\/sandbox\/tracked-tables\.spec\.ts$/,
  // it breaks a server on purpose
  /^test\/histories\/mutations\.ts$/,
  // a query that tries to inject one
  /^test\/messaging\/search\.messages\.spec\.ts$/,
];

const WRITES = /\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+ (?:AS )?(?:\w+ )?SET\b/;
const SQL = new RegExp(`\\bSELECT\\b|${WRITES.source}`);
const DECLARES = new Set(['statement', 'batchStatement']);

const holds = (node, sql) => (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && sql.test(node.text);
const holdsSql = (node) => holds(node, SQL) || (ts.isCallExpression(node) && DECLARES.has(node.expression.getText()));
const writes = (node) => holds(node, WRITES);

/** The lines of a file on which such SQL begins. */
function linesWith(isFound, path) {
  const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const visit = (node) => {
    if (isFound(node)) lines.add(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return [...lines];
}

const filesOf = (folder, isWanted = /\.ts$/) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));

/** The parts of the server: whose tables each may name besides its own. */
const STANDS_ON = {
  kernel: [],
  auth: ['kernel'],
  oauth: ['kernel', 'auth'],
  webhooks: ['kernel'],
  ui: ['kernel', 'auth'],
  messaging: ['kernel', 'auth', 'webhooks'],
  tracker: ['kernel', 'auth', 'webhooks'],
  tenants: ['kernel', 'auth', 'webhooks'],
  sandbox: ['kernel', 'auth', 'webhooks', 'tenants'],
};
const FLOORS = { messaging: CHAT_FLOORS, tracker: TRACKER_FLOORS };
/** Rooms of the chat that stand on its families. */
const UPON_FAMILIES = new Set(['acting', 'mcp']);

/** The part of the server and, in a product, the room in it; what lies beside the rooms knows them all. */
const placeOf = (path) => {
  const [, part, room, ...file] = path.split('/');
  return { part, room: part in FLOORS && file.length > 0 ? room : undefined };
};

/** Whether a statement in a place may name a table of another. */
function mayName(from, of) {
  if (from.part !== of.part) return STANDS_ON[from.part]?.includes(of.part) ?? false;
  const floors = FLOORS[from.part];
  if (!floors || from.room === undefined || from.room === of.room || UPON_FAMILIES.has(from.room)) return true;
  const [here, there] = [floors.indexOf(from.room), floors.indexOf(of.room)];
  // the families of the chat are on no floor: they stand on all of them
  if (here < 0) return there >= 0;
  return there >= 0 && there <= here;
}

const owners = new Map();
for (const path of filesOf('src', /\.entity\.ts$/)) {
  for (const [, table] of readFileSync(join(root, path), 'utf8').matchAll(/^@Entity\('(\w+)'\)/gm)) {
    owners.set(table, path);
  }
}

/** The texts in a file that may be SQL: each template as a whole. */
function textsIn(path) {
  const text = readFileSync(join(root, path), 'utf8');
  if (path.endsWith('.sql')) return [text.replace(/--.*$/gm, '')];
  const texts = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      const { head, templateSpans } = node;
      texts.push([head.text, ...templateSpans.map(({ literal }) => literal.text)].join(' $ '));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return texts;
}

const NAMED = /\b(?:FROM|JOIN|INTO|UPDATE|USING|NULL::)\s*((?:\w+(?: \w+)?, )*\w+)/g;

/** The tables of other rooms that a file's statements name. */
function strangersIn(path) {
  const found = new Set();
  for (const text of textsIn(path)) {
    const own = new Set([...text.matchAll(/\b(\w+) AS (?:NOT )?(?:MATERIALIZED )?\(/g)].map(([, name]) => name));
    for (const [, names] of text.matchAll(NAMED)) {
      for (const name of names.split(', ').map((named) => named.split(' ')[0])) {
        const owner = own.has(name) ? undefined : owners.get(name);
        if (owner && !mayName(placeOf(path), placeOf(owner))) found.add(name);
      }
    }
  }
  return found;
}

const faults = [];
for (const path of filesOf('src', /\.(ts|sql)$/)) {
  const strangers = strangersIn(path);
  const comments = readFileSync(join(root, path), 'utf8').replace(/\n\s*(?:\*|--)?\s*/g, ' ');
  const [, listed = ''] = /Tables of other rooms: ([\w, ]+)\. \w/.exec(comments) ?? [];
  const said = new Set(listed.match(/\w+/g));
  for (const table of strangers) {
    if (!said.has(table))
      faults.push(`${path}: names ${table}, a table of ${owners.get(table).replace(/\/[^/]+$/, '')}`);
  }
  for (const table of said) if (!strangers.has(table)) faults.push(`${path}: names ${table} no more`);
}
for (const path of filesOf('src')) {
  if (path.endsWith('.queries.ts')) {
    if (!/\bby hand\b|\bhand-written\b/i.test(readFileSync(join(root, path), 'utf8'))) {
      faults.push(`${path}: says nowhere why its SQL is hand-written ("Hand-written: …")`);
    }
  } else if (!EXCEPTIONS.some((exception) => exception.test(path))) {
    for (const line of linesWith(holdsSql, path)) faults.push(`${path}:${line}: SQL outside *.queries.ts`);
  }
}
for (const path of filesOf('test')) {
  if (SPECS_THAT_WRITE.some((exception) => exception.test(path))) continue;
  for (const line of linesWith(writes, path)) faults.push(`${path}:${line}: SQL that writes; see test/support/rows.ts`);
}
for (const fault of faults.sort()) console.log(fault);
if (faults.length > 0) process.exit(1);
