import { BadRequestException } from '@nestjs/common';
import { isAlias, isNode, isScalar, LineCounter, parseAllDocuments, stringify, visit, type YAMLMap } from 'yaml';
import { cleanJson } from './clean.js';

const DIALECT = { version: '1.2', schema: 'core' } as const;

/**
 * Parses a YAML text: one document of version 1.2's core schema. Anchors, aliases, tags and duplicate keys are refused,
 * so that a short text cannot expand to a large value.
 * @throws BadRequestException with a message for each fault
 */
export function readYaml(text: string): unknown {
  const lines = new LineCounter();
  const faults: string[] = [];
  const at = (offset: number): string => `line ${lines.linePos(offset).line}`;
  try {
    // the parser would compare each key with all others, and copy the line of each error
    const documents = parseAllDocuments(text, {
      ...DIALECT,
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: lines,
    });
    if (!Array.isArray(documents) || documents.length === 0) return {};
    if (documents.length > 1) throw new BadRequestException(['document: must be one document']);
    const [document] = documents;
    if (!document) return {};
    for (const { message, pos } of document.errors) faults.push(`${at(pos[0])}: ${message.split('\n', 1)[0]}`);
    visit(document, {
      Map(_key, map) {
        for (const offset of repeatedKeys(map)) faults.push(`${at(offset)}: Map keys must be unique`);
      },
      Node(_key, node) {
        const offset = node.range?.[0] ?? 0;
        if (isAlias(node)) faults.push(`${at(offset)}: aliases are not taken`);
        else if (node.anchor !== undefined) faults.push(`${at(offset)}: anchors are not taken`);
        if (isNode(node) && node.tag !== undefined && !isImplied(node))
          faults.push(`${at(offset)}: tags are not taken`);
      },
    });
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, 50));
    return cleanJson(document.toJS({ maxAliasCount: 0 }));
  } catch (error) {
    if (error instanceof BadRequestException) throw error;
    throw new BadRequestException(['document: is no YAML that can be read']);
  }
}

/** Where the keys of a mapping are that name the same field as an earlier one. */
function repeatedKeys({ items }: YAMLMap): number[] {
  const names = new Set<string>();
  const repeated: number[] = [];
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    const name = String(key.value ?? '');
    if (names.has(name)) repeated.push(key.range?.[0] ?? 0);
    names.add(name);
  }
  return repeated;
}

/** Serializes a value as YAML that {@link readYaml} accepts. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, ...DIALECT });

/** A tag that the parser itself assigned. */
const isImplied = (node: object): boolean => isScalar(node) && (node as { tag?: string }).tag === undefined;
