import { LinearError } from '@linear/sdk';
import { expect } from 'vitest';

/**
 * How the official client reports an error to its user: class and text of the error
 * (docs/reference/tracker.md#errors).
 */
export async function refusal(call: PromiseLike<unknown>): Promise<[errorClass: string, text: string]> {
  const error: unknown = await call.then(
    () => expect.fail('this should have been refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LinearError);
  return [(error as LinearError).constructor.name, (error as LinearError).message];
}

export const notFound = (entity: string): [string, string] => [
  'InvalidInputLinearError',
  `Entity not found: ${entity} - Could not find referenced ${entity}.`,
];

export const invalidArgument = (sentence: string): [string, string] => [
  'InvalidInputLinearError',
  `Argument Validation Error - ${sentence}`,
];

export const brokenRule = (rule: string, sentence = rule): [string, string] => [
  'InvalidInputLinearError',
  // the client begins it with a capital
  `${rule.charAt(0).toUpperCase()}${rule.slice(1)}${rule === sentence ? '' : ` - ${sentence}`}`,
];

export const unknownReference = (field: string): [string, string] => [
  'InvalidInputLinearError',
  `Entity not found in validateAccess: ${field} - ${field} contained an entry that could not be found.`,
];
