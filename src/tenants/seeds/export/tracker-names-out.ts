import type { ExportRefs } from './names-out.js';

export interface State {
  id: string;
  teamId: string;
  name: string;
  type: string;
  color: string;
  description: string | null;
}

/** Names of the objects that issues refer to, by ids. */
export interface TrackerNamesOut {
  readonly people: ReadonlyMap<string, string>;
  readonly ownerId: string | undefined;
  readonly states: ReadonlyMap<string, State>;
  readonly labels: ReadonlyMap<string, string>;
  readonly cycles: ReadonlyMap<string, number>;
  readonly projects: ReadonlyMap<string, string>;
  readonly refs: ExportRefs;
  readonly ids: boolean;
}
