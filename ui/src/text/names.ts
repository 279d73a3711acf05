import { createContext, useContext } from 'react';

/** How texts show people and channels, and what a click on one does. */
export interface NameBook {
  readonly meId: string;
  userName(id: string): string | undefined;
  channelName(id: string): string | undefined;
  openUser?(id: string): void;
  /** Where in the app a channel is. */
  channelPath(id: string): string;
  /** A permalink of this server as a place in the app, or null for any other address. */
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
