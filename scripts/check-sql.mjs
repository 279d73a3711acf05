import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
const root = fileURLToPath(new URL('..', import.meta.url));
const SQL = /\bSELECT\b|\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+ (?:AS )?(?:\w+ )?SET\b/;
const files = readdirSync(join(root, 'src'), { recursive: true }).filter(
  (f) => f.endsWith('.ts') && !f.endsWith('.queries.ts'),
);
for (const f of files.sort()) {
  const src = ts.createSourceFile(f, readFileSync(join(root, 'src', f), 'utf8'), ts.ScriptTarget.Latest, true);
  const tops = new Map();
  const topOf = (n) => {
    while (n.parent && n.parent !== src) n = n.parent;
    return n;
  };
  const hit = (n) => {
    const t = topOf(n);
    tops.set(t, [...(tops.get(t) ?? []), src.getLineAndCharacterOfPosition(n.getStart()).line + 1]);
  };
  (function visit(n) {
    if (
      (ts.isStringLiteralLike(n) || ts.isTemplateHead(n) || ts.isTemplateMiddle(n) || ts.isTemplateTail(n)) &&
      SQL.test(n.text)
    )
      hit(n);
    if (ts.isCallExpression(n) && /^(statement|batchStatement)$/.test(n.expression.getText())) hit(n);
    ts.forEachChild(n, visit);
  })(src);
  for (const [t, lines] of tops) {
    const name = ts.isVariableStatement(t)
      ? t.declarationList.declarations.map((d) => d.name.getText()).join(',')
      : ts.isClassDeclaration(t)
        ? `class ${t.name?.getText()}`
        : `${ts.SyntaxKind[t.kind]} ${t.name?.getText() ?? ''}`;
    console.log(`${f}: ${name} ${[...new Set(lines)].join(',')}`);
  }
}
