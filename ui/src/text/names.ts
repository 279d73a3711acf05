import { createContext, useContext } from 'react';

/** A group of users that a text mentions. */
export interface NamedGroup {
  readonly name: string;
  readonly handle: string;
  readonly users: readonly string[];
}

/** How texts show people and channels, and what a click on one does. */
export interface NameBook {
  readonly meId: string;
  userName(id: string): string | undefined;
  channelName(id: string): string | undefined;
  group(id: string): NamedGroup | undefined;
  /** Who is in groups may have changed since. */
  reloadGroups(): void;
  openUser?(id: string): void;
  /** The app's path of a channel. */
  channelPath(id: string): string;
  /** Converts a permalink of this server to a path of the app; null for any other address. */
  ownPath(url: string): string | null;
}

const NOBODY: NameBook = {
  meId: '',
  userName: () => undefined,
  channelName: () => undefined,
  group: () => undefined,
  reloadGroups: () => undefined,
  channelPath: (id) => `/archives/${id}`,
  ownPath: () => null,
};

export const Names = createContext<NameBook>(NOBODY);
export const useNames = (): NameBook => useContext(Names);
