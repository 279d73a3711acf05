import { createHash } from 'node:crypto';
import type { ManifestFunction, ManifestParameters } from '../store/app-manifest.js';
import { isJsonObject } from './text.js';

/** A parameter as events show it. */
export interface FunctionParameter {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly title: string;
  readonly is_required: boolean;
}

/** A custom step that an app offers (docs/reference/chat.md#custom-steps). */
export interface AppFunction {
  readonly callbackId: string;
  readonly inputs: readonly FunctionParameter[];
  readonly outputs: readonly FunctionParameter[];
  /** As events show it. */
  readonly wire: object;
}

interface AppWithFunctions {
  readonly id: string;
  readonly manifest: { readonly functions?: Readonly<Record<string, ManifestFunction>> };
  /** Microseconds. */
  readonly createdAt: number;
}

/** A function of the app's manifest; undefined: it has none of that name. */
export function functionOf(app: AppWithFunctions, callbackId: string): AppFunction | undefined {
  const { functions } = app.manifest;
  if (!isJsonObject(functions) || !Object.hasOwn(functions, callbackId)) return undefined;
  const {
    title,
    description = '',
    input_parameters: input,
    output_parameters: output,
  } = functions[callbackId] as ManifestFunction;
  const [inputs, outputs] = [parametersOf(input), parametersOf(output)];
  const made = Math.floor(app.createdAt / 1e6);
  return {
    callbackId,
    inputs,
    outputs,
    wire: {
      id: functionId(app.id, callbackId),
      callback_id: callbackId,
      title,
      description,
      type: 'app',
      input_parameters: inputs,
      output_parameters: outputs,
      app_id: app.id,
      date_created: made,
      date_updated: made,
      date_deleted: 0,
    },
  };
}

const parametersOf = (parameters: ManifestParameters = {}): FunctionParameter[] =>
  Object.entries(parameters).map(([name, { type, title, description, is_required: isRequired }]) => ({
    type,
    name,
    description: description ?? '',
    title: title ?? name,
    is_required: isRequired === true,
  }));

/** Whether values have every required parameter, and no other than there are. */
export const hasAll = (parameters: readonly FunctionParameter[], values: Readonly<Record<string, unknown>>): boolean =>
  parameters.every(({ name, is_required: isRequired }) => !isRequired || isGiven(values, name)) &&
  Object.keys(values).every((name) => parameters.some((one) => one.name === name));

const isGiven = (values: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.hasOwn(values, name) && values[name] !== null && values[name] !== undefined;

/** Always the same one for a function of an app. */
function functionId(appId: string, callbackId: string): string {
  const number = createHash('sha256').update(`${appId}:${callbackId}`).digest().readBigUInt64BE();
  return `Fn0${(number % 36n ** 9n).toString(36).toUpperCase().padStart(9, '0')}`;
}
