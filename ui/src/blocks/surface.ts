import { createContext, useContext } from 'react';
import type { Json } from '../api/wire.js';

/** The surface that blocks are on: a message, a modal, an App Home. */
export type Place =
  | {
      readonly kind: 'message';
      readonly channel: string;
      readonly ts: string;
      readonly appId?: string | undefined;
      readonly ephemeral?: boolean | undefined;
    }
  | { readonly kind: 'view'; readonly viewId: string; readonly appId: string; readonly home: boolean }
  | { readonly kind: 'preview' };

/** Entered values, by block and action. */
export type Values = Record<string, Record<string, Json>>;

/** How elements report actions to their surface. */
export interface Surface {
  readonly place: Place;
  readonly values: Values;
  readonly errors: Readonly<Record<string, string>>;
  /** The element whose action the app is handling. */
  readonly busy: string | null;
  /** Something was chosen or pressed: sends it to the app. */
  act(block: Json, element: Json, value: Json): void;
  /** Something was entered: kept until the form is submitted. */
  enter(block: Json, element: Json, value: Json): void;
  suggest(block: Json, element: Json, typed: string): Promise<Json[]>;
}

export const SurfaceContext = createContext<Surface | null>(null);

export function useSurface(): Surface {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error('blocks stand on a surface');
  return surface;
}

export const str = (value: unknown): string => (typeof value === 'string' ? value : '');
export const list = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
export const obj = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
export const keyOf = (block: Json, element: Json): string => `${str(block['block_id'])}:${str(element['action_id'])}`;

const WITHOUT_VALUE = new Set(['button', 'overflow', 'icon_button', 'feedback_buttons', 'workflow_button']);

/** Whether the state of a message or view has an entry for the element: what is only pressed has none. */
export const holdsValue = (element: Json): boolean => !WITHOUT_VALUE.has(str(element['type']));
