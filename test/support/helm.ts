import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { newHex } from '../../src/kernel/ids/ids.js';

/**
 * Renders the chart without the helm client, which no package registry offers. It implements the part of the
 * template language that the chart uses, and fails on anything else: if, range, define and include, variables,
 * pipelines and about twenty functions. It cannot test hooks, capabilities of a cluster or three-way merges.
 */

export const CHART = fileURLToPath(new URL('../../deploy/helm/understudy/', import.meta.url));

type Values = Record<string, unknown>;
interface Scope {
  root: Values;
  dot: unknown;
  variables: Map<string, unknown>;
}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; expression: string }
  | { kind: 'set'; name: string; expression: string }
  | { kind: 'if'; branches: { condition: string | null; body: Node[] }[] }
  | { kind: 'range'; key: string; value: string; over: string; body: Node[] };

const truthy = (value: unknown): boolean =>
  !(value === undefined || value === null || value === false || value === '' || value === 0) &&
  !(typeof value === 'object' && Object.keys(value as object).length === 0);

class Templates {
  readonly named = new Map<string, Node[]>();

  parse(source: string): Node[] {
    const tokens = source
      .replace(/\s*\{\{-/g, '{{')
      .replace(/-\}\}\s*/g, '}}')
      .split(/(\{\{.*?\}\})/s)
      .filter((token) => token !== '');
    let at = 0;
    const block = (): { nodes: Node[]; end: string } => {
      const nodes: Node[] = [];
      while (at < tokens.length) {
        const token = tokens[at++] as string;
        if (!token.startsWith('{{')) {
          nodes.push({ kind: 'text', text: token });
          continue;
        }
        const action = token.slice(2, -2).trim();
        if (action.startsWith('/*')) continue;
        if (action === 'end' || action.startsWith('else')) return { nodes, end: action };
        if (action.startsWith('define ')) this.named.set(action.slice(8, -1), block().nodes);
        else if (action.startsWith('if ')) {
          const branches: { condition: string | null; body: Node[] }[] = [];
          for (let condition: string | null = action.slice(3); ;) {
            const { nodes: body, end } = block();
            branches.push({ condition, body });
            if (end === 'end') break;
            condition = end.startsWith('else if ') ? end.slice(8) : null;
          }
          nodes.push({ kind: 'if', branches });
        } else if (action.startsWith('range ')) {
          const match = /^range (\$\w+), (\$\w+) := (.+)$/.exec(action);
          if (!match) throw new Error(`the renderer does not know {{ ${action} }}`);
          nodes.push({ kind: 'range', key: match[1]!, value: match[2]!, over: match[3]!, body: block().nodes });
        } else {
          const [, name, expression] = /^(\$\w+) := (.+)$/.exec(action) ?? [];
          if (name !== undefined && expression !== undefined) nodes.push({ kind: 'set', name, expression });
          else nodes.push({ kind: 'output', expression: action });
        }
      }
      return { nodes, end: 'end' };
    };
    return block().nodes;
  }

  render(nodes: Node[], scope: Scope): string {
    return nodes.map((node) => this.one(node, scope)).join('');
  }

  private one(node: Node, scope: Scope): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'output': {
        const value = this.pipeline(node.expression, scope);
        return value === undefined || value === null ? '' : String(value);
      }
      case 'set':
        scope.variables.set(node.name, this.pipeline(node.expression, scope));
        return '';
      case 'if': {
        const branch = node.branches.find(
          ({ condition }) => condition === null || truthy(this.pipeline(condition, scope)),
        );
        return branch ? this.render(branch.body, scope) : '';
      }
      case 'range':
        return Object.entries((this.pipeline(node.over, scope) ?? {}) as Values)
          .map(([key, value]) => {
            const variables = new Map([...scope.variables, [node.key, key], [node.value, value]]);
            return this.render(node.body, { ...scope, variables });
          })
          .join('');
    }
  }

  private pipeline(expression: string, scope: Scope): unknown {
    const [first, ...rest] = split(expression, '|');
    let value = this.call(first as string, scope, []);
    for (const stage of rest) value = this.call(stage, scope, [value]);
    return value;
  }

  private call(stage: string, scope: Scope, piped: unknown[]): unknown {
    const words = split(stage.trim(), ' ').filter((word) => word !== '');
    const name = words[0] as string;
    if (words.length === 1 && piped.length === 0 && !(name in this.functions)) return this.atom(name, scope);
    const args = [...words.slice(1).map((word) => this.atom(word, scope)), ...piped];
    const call = this.functions[name];
    if (!call) throw new Error(`the renderer does not know the function ${name}`);
    return call(args, scope);
  }

  private atom(word: string, scope: Scope): unknown {
    if (word.startsWith('(')) return this.pipeline(word.slice(1, -1), scope);
    if (word.startsWith('"')) return JSON.parse(word);
    if (/^-?\d+$/.test(word)) return Number(word);
    if (word === '.') return scope.dot;
    if (word.startsWith('$')) return scope.variables.get(word);
    if (word.startsWith('.')) {
      return word
        .slice(1)
        .split('.')
        .reduce<unknown>((value, key) => (value as Values | undefined)?.[key], scope.dot);
    }
    throw new Error(`the renderer does not know ${word}`);
  }

  private readonly functions: Record<string, (args: unknown[], scope: Scope) => unknown> = {
    include: ([name, dot], scope) => {
      const nodes = this.named.get(String(name));
      if (!nodes) throw new Error(`no template is named ${String(name)}`);
      return this.render(nodes, { ...scope, dot, variables: new Map([['$', dot]]) });
    },
    '.Files.Get': ([path]) => readFileSync(join(CHART, String(path)), 'utf8'),
    lookup: ([, kind, , name], { root }) => (root['Cluster'] as Values)[`${String(kind)}/${String(name)}`] ?? {},
    index: ([value, ...keys]) => keys.reduce<unknown>((at, key) => (at as Values)[String(key)], value),
    dict: (args) =>
      Object.fromEntries(args.flatMap((key, i) => (i % 2 === 0 ? [[String(key), args[i + 1]]] : []))) as Values,
    // the first value of a key counts, as with helm
    merge: (args) => Object.assign({}, ...args.toReversed()) as Values,
    printf: ([format, ...args]) => String(format).replaceAll('%s', () => String(args.shift())),
    randAlphaNum: ([length]) => newHex(Number(length)),
    b64dec: ([text]) => Buffer.from(String(text), 'base64').toString(),
    quote: ([value]) => JSON.stringify(String(value ?? '')),
    default: ([fallback, value]) => (truthy(value) ? value : fallback),
    nindent: ([count, text]) => `\n${indent(Number(count), String(text))}`,
    toYaml: ([value]) => stringify(value).trimEnd(),
    sha256sum: ([text]) => createHash('sha256').update(String(text)).digest('hex'),
    upper: ([text]) => String(text).toUpperCase(),
    int: ([value]) => Math.trunc(Number(value)),
    gt: ([a, b]) => Number(a) > Number(b),
    and: (args) => args.every(truthy),
    or: (args) => args.find(truthy) ?? args.at(-1),
    not: ([value]) => !truthy(value),
    add: (args) => args.reduce<number>((sum, value) => sum + Number(value), 0),
    fail: ([message]) => {
      throw new Error(String(message));
    },
  };
}

const indent = (count: number, text: string): string =>
  text
    .split('\n')
    .map((line) => ' '.repeat(count) + line)
    .join('\n');

/** Splits outside of quotes and parentheses. */
function split(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (!quoted && character === '(') depth++;
    if (!quoted && character === ')') depth--;
    if (character === separator && !quoted && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

function merge(base: unknown, over: unknown): unknown {
  const mergeable = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!mergeable(base) || !mergeable(over)) return over === undefined ? base : over;
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [key, merge(base[key], over[key])]),
  );
}

export const defaultValues = (): Values => parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values;
export const chartFile = (name: string): Values => parse(readFileSync(join(CHART, name), 'utf8')) as Values;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [field: string]: unknown };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- manifests are read freely
  [field: string]: any;
}

/**
 * The manifests that `helm install staging … --namespace qa` would send, by kind; further ones of a kind by the rest
 * of their name (`Secret-key`). `cluster` holds existing objects, as `Secret/staging-key`.
 * @throws the message of the chart's `fail`
 */
export function renderChart(values: Values = {}, cluster: Values = {}): Record<string, Manifest> {
  const manifests: Record<string, Manifest> = {};
  for (const { name, text } of renderedFiles('.yaml', values, cluster)) {
    for (const document of parseAllDocuments(text)) {
      if (document.errors.length > 0) throw new Error(`${name} is no YAML: ${document.errors[0]?.message}\n${text}`);
      const manifest = document.toJS() as Manifest | null;
      if (manifest) manifests[manifest.kind + manifest.metadata.name.slice('staging'.length)] = manifest;
    }
  }
  return manifests;
}

/** What `helm install staging … --namespace qa` prints afterwards. */
export const renderNotes = (values: Values = {}): string => renderedFiles('NOTES.txt', values, {})[0]?.text ?? '';

function renderedFiles(ending: string, values: Values, cluster: Values): { name: string; text: string }[] {
  const templates = new Templates();
  const chart = chartFile('Chart.yaml');
  const root: Values = {
    Values: merge(defaultValues(), values),
    Release: { Name: 'staging', Namespace: 'qa', Service: 'Helm' },
    Cluster: cluster,
    Chart: { AppVersion: chart['appVersion'], Name: chart['name'], Version: chart['version'] },
  };
  const files = readdirSync(join(CHART, 'templates')).sort();
  return files
    .map((name) => ({ name, nodes: templates.parse(readFileSync(join(CHART, 'templates', name), 'utf8')) }))
    .filter(({ name }) => name.endsWith(ending))
    .map(({ name, nodes }) => ({
      name,
      text: templates.render(nodes, { root, dot: root, variables: new Map([['$', root]]) }),
    }));
}
