import type { ReactNode } from 'react';
import { useGo } from '../kit/link.js';
import { useCommands } from '../api/apps.js';
import { rest } from '../api/client.js';
import { ApiError, wordsFor } from '../api/errors.js';
import { pathOfRequest } from '../api/requests.js';
import { appWords } from '../blocks/message-surface.js';
import { Button } from '../kit/button.js';
import { useChat } from './chat-context.js';

interface Ways {
  readonly sendAsMessage: () => void;
  readonly restore: () => void;
}

/** Runs `/command text`; errors are shown above the composer. */
export function useSlashCommand(
  channel: string,
  say: (notice: ReactNode) => void,
): { run: (command: string, text: string, ways: Ways) => void } {
  const chat = useChat();
  const navigate = useGo();
  const commands = useCommands();
  const urlOf = (name: string): string | undefined => commands.data?.find((one) => one.command === name)?.url;
  const seeRequest = async (requestId: string | undefined): Promise<void> =>
    navigate(await pathOfRequest(chat.teamId, requestId));
  const run = (command: string, text: string, { sendAsMessage, restore }: Ways): void => {
    rest('POST /commands/execute', { as: 'persona', body: { command, text, channel_id: channel } }).catch(
      (error: unknown) => {
        if (error instanceof ApiError && error.code === 'command_not_found') {
          return say(
            <>
              <span role="alert">No app here has {command}. Send it as a message?</span>
              <Button
                size="small"
                kind="primary"
                onPress={() => {
                  say(null);
                  sendAsMessage();
                }}
              >
                Send as message
              </Button>
              <Button
                size="small"
                kind="quiet"
                onPress={() => {
                  say(null);
                  restore();
                }}
              >
                Cancel
              </Button>
            </>,
          );
        }
        const isApp = error instanceof ApiError && error.status === 502;
        restore();
        say(
          <>
            <span role="alert">{isApp ? appWords(error, urlOf(command)) : wordsFor(error)}</span>
            {isApp && (
              <Button kind="link" onPress={() => void seeRequest(error.requestId)}>
                See request
              </Button>
            )}
          </>,
        );
      },
    );
  };
  return { run };
}
