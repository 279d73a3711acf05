import { LinearDocument } from '@linear/sdk';
import { parse, validate } from 'graphql';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileOperation } from '../../src/tracker/graphql/compile.js';
import { contractTrackerSchema } from '../support/tracker-schema.js';

interface Operations {
  sdk: { publishedDocuments: number; documentsInScope: number };
  core: { sdkDocuments: string[] }[];
  closure: { sdkDocuments: string[] }[];
  outOfScope: string[];
}

const operations = JSON.parse(
  readFileSync(new URL('./fixtures/tracker-operations.json', import.meta.url), 'utf8'),
) as Operations;
const documents = LinearDocument as unknown as Record<string, object>;

// The built schema prints the same (tracker-schema.spec.ts).
const schema = contractTrackerSchema();

function errorsOf(name: string): string[] {
  return validate(schema, parse(String(documents[name]))).map(({ message }) => message);
}

describe('the documents of the SDK', () => {
  const named = Object.keys(documents).filter((name) => name.endsWith('Document'));
  const inScope = named.filter((name) => errorsOf(name).length === 0);

  it('are those that the list of operations was written for', () => {
    expect(named).toHaveLength(operations.sdk.publishedDocuments);
    expect(inScope).toHaveLength(operations.sdk.documentsInScope);
  });

  it('are valid if the list of operations names them', () => {
    const listed = [...operations.core, ...operations.closure].flatMap((entry) => entry.sdkDocuments);
    const refused = listed.map((name) => [name, errorsOf(name)]).filter(([, errors]) => errors!.length > 0);
    expect(refused).toEqual([]);
  });

  it('can be compiled if they are in scope', () => {
    const uncompiled = inScope.filter((name) => !compileOperation(schema, parse(String(documents[name]))));
    expect(uncompiled).toEqual([]);
  });

  it('are refused if they are out of scope', () => {
    expect(operations.outOfScope.filter((name) => errorsOf(name).length === 0)).toEqual([]);
  });

  it('are refused for the unknown type of a variable before the unknown field', () => {
    expect(errorsOf('AuditEntriesDocument')[0]).toMatch(/^Unknown type "AuditEntryFilter"\./);
  });
});
