import { useMemo, useState, type ReactNode } from 'react';
import { useGo } from '../kit/link.js';
import { rest } from '../api/client.js';
import { clicksGoTo } from '../api/apps.js';
import { ApiError, wordsFor } from '../api/errors.js';
import { me } from '../api/persona.js';
import { pathOfRequest } from '../api/requests.js';
import type { Json } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { SurfaceContext, holdsValue, keyOf, str, type Place, type Surface, type Values } from './surface.js';
import styles from './blocks.module.css';

interface Failure {
  readonly words: string;
  readonly leadsTo: 'request' | 'app' | null;
  readonly requestId?: string | undefined;
}

/** Blocks in a message: actions are sent to the app, and errors are shown below. */
export function MessageSurface({
  blocks: _blocks,
  place,
  children,
}: {
  blocks: readonly Json[];
  place: Place;
  children: ReactNode;
}): ReactNode {
  const [values, setValues] = useState<Values>({});
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const navigate = useGo();

  const surface = useMemo((): Surface => {
    const enter = (block: Json, element: Json, value: Json): void =>
      setValues((before) => ({
        ...before,
        [str(block['block_id'])]: {
          ...before[str(block['block_id'])],
          [str(element['action_id'])]: { type: element['type'], ...value },
        },
      }));
    return {
      place,
      values,
      errors: {},
      busy,
      enter,
      act: (block, element, value) => {
        if (place.kind !== 'message') return;
        if (holdsValue(element)) enter(block, element, value);
        setBusy(keyOf(block, element));
        setFailure(null);
        const entered = holdsValue(element)
          ? {
              ...values,
              [str(block['block_id'])]: {
                ...values[str(block['block_id'])],
                [str(element['action_id'])]: { type: element['type'], ...value },
              },
            }
          : values;
        const action = { action_id: element['action_id'], block_id: block['block_id'], ...value };
        const body = { channel: place.channel, message_ts: place.ts, actions: [action], state: { values: entered } };
        rest('POST /interactions', { as: 'persona', body })
          .catch(async (error: unknown) => setFailure(failureOf(error, await clicksGoTo(place.appId))))
          .finally(() => setBusy(null));
      },
      suggest: async (block, element, typed) => {
        if (place.kind !== 'message') return [];
        const body = {
          channel: place.channel,
          message_ts: place.ts,
          block_id: block['block_id'],
          action_id: element['action_id'],
          value: typed,
        };
        const answer = await rest<{ result: { options: Json[] } }>('POST /act/suggest', { as: 'persona', body });
        return answer.result.options;
      },
    };
  }, [place, values, busy]);

  const follow = async (): Promise<void> => {
    const { teamId } = me();
    if (failure?.leadsTo === 'app')
      return navigate(`/w/${teamId}/apps${place.kind === 'message' && place.appId ? `/${place.appId}` : ''}`);
    navigate(await pathOfRequest(teamId, failure?.requestId));
  };
  return (
    <SurfaceContext.Provider value={surface}>
      {children}
      {failure && (
        <p role="alert" className={styles.failure}>
          <span>{failure.words}</span>
          {failure.leadsTo !== null && (
            <Button kind="link" onPress={() => void follow()}>
              {failure.leadsTo === 'app' ? 'App settings' : 'See request'}
            </Button>
          )}
        </p>
      )}
    </SurfaceContext.Provider>
  );
}

function failureOf(error: unknown, url: string | undefined): Failure {
  if (!(error instanceof ApiError)) return { words: wordsFor(error), leadsTo: null };
  if (error.status === 502) return { words: appWords(error, url), leadsTo: 'request', requestId: error.requestId };
  if (error.code === 'no_interactivity_url') return { words: wordsFor(error), leadsTo: 'app' };
  return { words: wordsFor(error), leadsTo: null };
}

/** Describes an app's silence or error, with its address when that is known. */
export function appWords(error: ApiError, url: string | undefined): string {
  const app = url === undefined ? 'The app' : `The app at ${url}`;
  switch (error.code) {
    case 'operation_timeout':
      return `${app} did not answer within 3 s.`;
    case 'connection_failed':
      return `${app} cannot be reached.`;
    case 'http_client_error':
      return `${app} answered with an error.`;
    default:
      return `${app} failed: ${error.code.replaceAll('_', ' ')}.`;
  }
}
