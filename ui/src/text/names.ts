import { createContext, useContext } from 'react';

/** How texts show people and channels, and what a click on one does. */
export interface NameBook {
  readonly meId: string;
  userName(id: string): string | undefined;
  channelName(id: string): string | undefined;
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
  channelPath: (id) => `/archives/${id}`,
  ownPath: () => null,
};

export const Names = createContext<NameBook>(NOBODY);
export const useNames = (): NameBook => useContext(Names);
