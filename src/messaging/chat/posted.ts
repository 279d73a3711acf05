import type { WireText } from '../rpc/wire-text.js';

/** The posted message: its ts and its wire form. */
export interface Posted {
  readonly ts: string;
  readonly message: WireText;
}
