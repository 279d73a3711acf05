import { Injectable } from '@nestjs/common';
import type { ToolSet } from './tool-set.js';

/** The products' tool servers by their names in paths. */
export const TOOL_SERVERS = ['chat', 'issues'] as const;
export type ToolServerName = (typeof TOOL_SERVERS)[number];

// each set is used with what it itself connects to
type AnyToolSet = ToolSet<never>;

/** Where the products register their tools, which are loaded by the first call. */
@Injectable()
export class ToolServers {
  private readonly loaders = new Map<ToolServerName, () => Promise<AnyToolSet>>();

  register<Api>(name: ToolServerName, load: () => Promise<ToolSet<Api>>): void {
    this.loaders.set(name, load as () => Promise<AnyToolSet>);
  }

  async load(name: ToolServerName): Promise<AnyToolSet> {
    const load = this.loaders.get(name);
    if (!load) throw new Error(`there is no tool server ${name}`);
    return load();
  }
}
