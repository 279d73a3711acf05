import { isBlank, isJsonObject } from '../wire/text.js';

/** The most functions of a manifest, and parameters of one on each side. */
const MAX_FUNCTIONS = 100;
const MAX_PARAMETERS = 100;

/** What is wrong with the functions (docs/reference/chat.md#custom-steps). */
export function functionFaults(functions: unknown, at: string): string[] {
  if (functions === undefined || functions === null) return [];
  if (!isJsonObject(functions)) return [`${at} must be an object`];
  const all = Object.entries(functions);
  if (all.length > MAX_FUNCTIONS) return [`${at} must be an object of at most ${MAX_FUNCTIONS} functions`];
  return all.flatMap(([callbackId, value]) => {
    const path = `${at}.${callbackId}`;
    if (isBlank(callbackId)) return [`${at} must be an object of callback ids that are not blank`];
    if (!isJsonObject(value)) return [`${path} must be an object`];
    const { title, description } = value;
    return [
      ...(typeof title === 'string' && !isBlank(title) ? [] : [`${path}.title must be a string that is not blank`]),
      ...textFaults({ description }, path),
      ...parameterFaults(value['input_parameters'], `${path}.input_parameters`),
      ...parameterFaults(value['output_parameters'], `${path}.output_parameters`),
    ];
  });
}

function parameterFaults(parameters: unknown, at: string): string[] {
  if (parameters === undefined || parameters === null) return [];
  if (!isJsonObject(parameters)) return [`${at} must be an object`];
  const all = Object.entries(parameters);
  if (all.length > MAX_PARAMETERS) return [`${at} must be an object of at most ${MAX_PARAMETERS} parameters`];
  return all.flatMap(([name, value]) => {
    const path = `${at}.${name}`;
    if (!isJsonObject(value)) return [`${path} must be an object`];
    const { type, title, description, is_required: isRequired } = value;
    return [
      ...(typeof type === 'string' && type !== '' ? [] : [`${path}.type must be a string that is not blank`]),
      ...textFaults({ title, description }, path),
      ...(isRequired === undefined || isRequired === null || typeof isRequired === 'boolean'
        ? []
        : [`${path}.is_required must be true or false`]),
    ];
  });
}

const textFaults = (texts: Readonly<Record<string, unknown>>, at: string): string[] =>
  Object.entries(texts)
    .filter(([, text]) => text !== undefined && text !== null && typeof text !== 'string')
    .map(([name]) => `${at}.${name} must be a string`);
