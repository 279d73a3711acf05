// Hand-written SQL belongs in `*.queries.ts` alone, where each says why it is hand-written; plain loads and writes go
// through the entities (CONTRIBUTING.md). Specs may read by SQL, but write through the API, builders and
// `test/support/rows.ts`. Comments are ignored, so a statement may be cited in one.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

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

const filesOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));

const faults = [];
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
