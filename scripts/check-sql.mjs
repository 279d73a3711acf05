// Hand-written SQL stands in `*.queries.ts` alone, each of which says why it is by hand; plain loads and writes go through
// the entities (CONTRIBUTING.md). Comments are not looked at, so a statement may be cited in one.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

const EXCEPTIONS = [
  // the layer that statements, sessions and migrations are made of
  /^src\/kernel\/database\//,
  // what an entity says about itself once: derived columns, filters, sorts and connections as parts of conditions
  /\.entity\.ts$/,
  // one field for all rows of a page, declared next to the entity it belongs to
  /\.loaders\.ts$/,
  // the compiler of filters, sorts and pages: it puts those parts together
  /^src\/tracker\/query\//,
];

const SQL = /\bSELECT\b|\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+ (?:AS )?(?:\w+ )?SET\b/;
const DECLARES = new Set(['statement', 'batchStatement']);

const holdsSql = (node) =>
  ((ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && SQL.test(node.text)) ||
  (ts.isCallExpression(node) && DECLARES.has(node.expression.getText()));

/** Lines of a file on which SQL begins. */
function linesWithSql(path) {
  const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const visit = (node) => {
    if (holdsSql(node)) lines.add(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return [...lines];
}

const faults = [];
for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
  const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
  if (entry.name.endsWith('.queries.ts')) {
    if (!/\bby hand\b/i.test(readFileSync(join(root, path), 'utf8'))) {
      faults.push(`${path}: says nowhere why its SQL is by hand ("By hand: …")`);
    }
  } else if (!EXCEPTIONS.some((exception) => exception.test(path))) {
    for (const line of linesWithSql(path)) faults.push(`${path}:${line}: SQL outside *.queries.ts`);
  }
}
for (const fault of faults.sort()) console.log(fault);
if (faults.length > 0) process.exit(1);
