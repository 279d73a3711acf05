import 'reflect-metadata';
import { BadRequestException } from '@nestjs/common';
import { parentPort } from 'node:worker_threads';
import { RestError } from '../../kernel/http/http-error.js';
import { requireObject, readJsonObject } from '../../kernel/text/json.js';
import { readYaml } from '../../kernel/text/yaml.js';
import type { ManifestSurface } from '../../messaging/provisioning/manifest-warnings.js';
import type { SeedShape } from '../../tracker/entity/seed-shapes.js';
import { takeLongLists, type Slice } from './document-parts.js';
import { readSeed, type DrawOfDocument } from './seed-document.js';
import { isPart, type Seed } from './seed-types.js';

type Json = Record<string, unknown>;

interface Sent {
  readonly bytes: Uint8Array;
  readonly isYaml: boolean;
}

/** A request to the document thread; one at a time. */
export type DocumentRequest =
  | (Sent & { readonly ask: 'fields' })
  | (Sent & {
      readonly ask: 'seed';
      readonly nowMicros: number;
      readonly draw: DrawOfDocument | null;
      readonly strict: boolean;
      readonly surface: ManifestSurface;
      readonly shapes: readonly SeedShape[];
    })
  | { readonly ask: 'slice' };

export type DocumentAnswer =
  /** The first message: its code is loaded. */
  | { readonly ready: true }
  | { readonly fields: Json }
  /** Its long lists are empty: their slices are requested one by one. */
  | { readonly seed: Seed; readonly slices: number }
  | { readonly slice: Slice }
  | { readonly refused: { readonly status: number; readonly message: string | string[] } }
  | { readonly failed: string };

let slices: Slice[] = [];

/** A document without its parts, which are empty lists. */
const fieldsOf = (document: Json): Json =>
  Object.fromEntries(Object.entries(document).map(([key, value]) => [key, isPart(key) ? [] : value]));

function parse({ bytes, isYaml }: Sent): Json {
  const text = new TextDecoder().decode(bytes);
  return isYaml ? requireObject(readYaml(text)) : readJsonObject(text);
}

function answer(request: DocumentRequest): DocumentAnswer {
  switch (request.ask) {
    case 'slice':
      return { slice: slices.shift() as Slice };
    case 'fields':
      return { fields: fieldsOf(parse(request)) };
    case 'seed': {
      const { nowMicros, strict, surface, shapes, draw } = request;
      const seed = readSeed(parse(request), nowMicros, { strict, surface, shapes, draw });
      slices = takeLongLists(seed);
      return { seed, slices: slices.length };
    }
  }
}

function refusal(error: unknown): DocumentAnswer {
  if (error instanceof RestError) return { refused: { status: error.getStatus(), message: error.code } };
  if (error instanceof BadRequestException) {
    const { message } = error.getResponse() as { message: string | string[] };
    return { refused: { status: 400, message } };
  }
  return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

parentPort?.postMessage({ ready: true } satisfies DocumentAnswer);
parentPort?.on('message', (request: DocumentRequest) => {
  let said: DocumentAnswer;
  try {
    said = answer(request);
  } catch (error) {
    said = refusal(error);
  }
  parentPort?.postMessage(said);
});
