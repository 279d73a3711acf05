import { BadRequestException } from '@nestjs/common';
import { isAlias, isNode, isScalar, LineCounter, parseAllDocuments, stringify, visit } from 'yaml';
import { cleanJson } from './clean.js';

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
    const documents = parseAllDocuments(text, { version: '1.2', schema: 'core', uniqueKeys: true, lineCounter: lines });
    if (!Array.isArray(documents) || documents.length === 0) return {};
    if (documents.length > 1) throw new BadRequestException(['document: must be one document']);
    const [document] = documents;
    if (!document) return {};
    for (const { message, pos } of document.errors) faults.push(`${at(pos[0])}: ${message.split('\n', 1)[0]}`);
    visit(document, {
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

/** Serializes a value as YAML that {@link readYaml} accepts. */
export const writeYaml = (value: unknown): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2', schema: 'core' });

/** A tag that the parser itself assigned. */
const isImplied = (node: object): boolean => isScalar(node) && (node as { tag?: string }).tag === undefined;
