import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty, DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../config/version.js';
import { serveOpenApiPage } from './openapi-page.js';

type Class = new () => object;
type Rule = { propertyName: string; name?: string; type: string; constraints?: unknown[]; each?: boolean };

const METHOD_CALL = /^\/api\/[A-Za-z0-9]+(\.[A-Za-z0-9]+)+$/;

/**
 * The control plane's description at `/api/docs` and `/api/docs-json`, generated from controllers and validation rules.
 */
export function serveOpenApi(app: NestFastifyApplication): void {
  serveOpenApiPage(app.getHttpAdapter().getInstance() as unknown as FastifyInstance);
  let document: OpenAPIObject | undefined;
  SwaggerModule.setup('api/docs', app, () => (document ??= describe(app)), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'api/docs-json',
  });
}

function describe(app: INestApplication): OpenAPIObject {
  for (const body of bodiesOf(app)) describeBody(body);
  const config = new DocumentBuilder()
    .setTitle('Understudy control plane')
    .setDescription('Plain REST: JSON in, JSON out. Errors are {"statusCode","message","error"}.')
    .setVersion(VERSION)
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(app, config);
  // the methods of the Web API are described in docs/METHODS.md
  for (const path of Object.keys(document.paths)) if (METHOD_CALL.test(path)) delete document.paths[path];
  return document;
}

/** Classes with validation rules that controllers use as parameters. */
function bodiesOf(app: INestApplication): Set<Class> {
  const bodies = new Set<Class>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype } of module.controllers.values()) {
      const prototype = (metatype as Class | undefined)?.prototype as object | undefined;
      if (!prototype) continue;
      for (const key of Object.getOwnPropertyNames(prototype)) {
        const types = (Reflect.getMetadata('design:paramtypes', prototype, key) as unknown[] | undefined) ?? [];
        for (const type of types)
          if (typeof type === 'function' && rulesOf(type as Class).length > 0) bodies.add(type as Class);
      }
    }
  }
  return bodies;
}

const rulesOf = (type: Class): Rule[] =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false) as unknown as Rule[];

function describeBody(type: Class): void {
  const byProperty = new Map<string, Rule[]>();
  for (const rule of rulesOf(type)) {
    byProperty.set(rule.propertyName, [...(byProperty.get(rule.propertyName) ?? []), rule]);
  }
  for (const [property, rules] of byProperty) {
    const required = !rules.some((rule) => rule.type === 'conditionalValidation');
    ApiProperty({ required, ...schemaOf(type, property, rules) } as never)(type.prototype as object, property);
  }
}

function schemaOf(type: Class, property: string, rules: readonly Rule[]): object {
  const of = (name: string): Rule | undefined => rules.find((rule) => rule.name === name);
  const designed = Reflect.getMetadata('design:type', type.prototype as object, property) as unknown;
  if (designed === Array) {
    return {
      type: 'array',
      items: rules.some((rule) => rule.name === 'isString' || !rule.each) ? { type: 'string' } : {},
    };
  }
  if (designed === Boolean) return { type: 'boolean' };
  if (designed !== String) return { type: 'object', additionalProperties: true };
  const [min, max] = (of('isLength')?.constraints ?? []) as [number?, number?];
  const [longest] = (of('maxLength')?.constraints ?? []) as [number?];
  const [pattern] = (of('matches')?.constraints ?? []) as [RegExp?];
  return {
    type: 'string',
    ...(of('isEmail') ? { format: 'email' } : of('isHttpUrl') ? { format: 'uri' } : {}),
    ...(min === undefined ? {} : { minLength: min }),
    ...((max ?? longest) === undefined ? {} : { maxLength: max ?? longest }),
    ...(pattern ? { pattern: pattern.source } : {}),
  };
}
