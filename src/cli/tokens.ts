import type { Settings } from '../kernel/config/settings.js';
import { OperatorError } from './fatal-error.js';
import { askServer, type TokensDocument, type TokensPath } from './operator-channel.js';

/** `understudy tokens` and `understudy tokens rotate`. */
export async function printTokens(settings: Settings, path: TokensPath, options: { json?: boolean }): Promise<void> {
  const tokens = await read(settings, path);
  const rows = {
    'Base URL': tokens.base_url,
    Workspace: tokens.team_id,
    'Bot token': tokens.bot_token,
    'User token': tokens.user_token,
    'App token': tokens.app_token,
    'API key': tokens.api_key,
  };
  const readable = Object.entries(rows).map(([name, value]) => `${name.padEnd(12)}${value}\n`);
  process.stdout.write(options.json ? `${JSON.stringify(tokens)}\n` : readable.join(''));
}

/**
 * The embedded database belongs to the process that has it open: a running server is asked; without one the store is
 * opened.
 */
async function read(settings: Settings, path: TokensPath): Promise<TokensDocument> {
  if (settings.databaseUrl === undefined) {
    const answer = await askServer(settings, path);
    if (answer) return answer;
    if (settings.dataDir === 'memory') {
      throw new OperatorError('SVC_DATA_DIR=memory keeps nothing and no server runs, so there is nothing to read');
    }
  }
  // loads the whole application, so it is imported only when needed
  const { tokensOfStore } = await import('./tokens-of-store.js');
  return tokensOfStore(settings, path);
}
