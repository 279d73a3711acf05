import { useMemo, useState, type ReactNode } from 'react';
import { useGo } from '../kit/link.js';
import { rest } from '../api/client.js';
import { me } from '../api/persona.js';
import { pathOfRequest } from '../api/requests.js';
import { wordsFor } from '../api/errors.js';
import type { Json } from '../api/wire.js';
import { holdsValue, keyOf, str, SurfaceContext, type Surface, type Values } from '../blocks/surface.js';
import { Button } from '../kit/button.js';
import styles from './pages.module.css';
import type { View } from './views.js';

interface Answer {
  deliveries?: { outcome: string; error?: string }[];
}

/** An app that failed to answer, and the request that was sent to it. */
export class AppError {
  constructor(
    readonly words: string,
    readonly requestId: string | undefined,
  ) {}
}

/** Describes the app's failure. */
export function failedDelivery(answer: Answer, requestId: string | undefined): AppError | null {
  const failed = answer.deliveries?.find(({ outcome }) => outcome === 'failed');
  if (!failed) return null;
  const words: Record<string, string> = {
    operation_timeout: 'The app did not answer within 3 s.',
    connection_failed: 'The app cannot be reached.',
    http_client_error: 'The app answered with an error.',
  };
  const text = words[failed.error ?? ''] ?? `The app failed: ${(failed.error ?? 'no answer').replaceAll('_', ' ')}.`;
  return new AppError(text, requestId);
}

/** An error between a view and its app. If the app failed, its request is linked. */
export function Failure({ failure }: { failure: unknown }): ReactNode {
  const navigate = useGo();
  if (failure === null || failure === undefined) return null;
  const appError = failure instanceof AppError ? failure : null;
  const seeRequest = async (): Promise<void> => navigate(await pathOfRequest(me().teamId, appError?.requestId));
  return (
    <p role="alert" className={styles.failure}>
      {appError ? appError.words : wordsFor(failure)}
      {appError && (
        <Button kind="link" onPress={() => void seeRequest()}>
          See request
        </Button>
      )}
    </p>
  );
}

interface ViewSurfaceProps {
  readonly view: View;
  readonly home?: boolean;
  readonly errors?: Readonly<Record<string, string>>;
  /** The values entered so far, to be submitted. */
  readonly onValues?: (values: Values) => void;
  readonly children: ReactNode;
}

/** Blocks in a modal or an App Home. */
export function ViewSurface({ view, home = false, errors = {}, onValues, children }: ViewSurfaceProps): ReactNode {
  const [values, setValues] = useState<Values>(() => view.state?.values ?? {});
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const surface = useMemo((): Surface => {
    const enter = (block: Json, element: Json, value: Json): void =>
      setValues((before) => {
        const [blockId, actionId] = [str(block['block_id']), str(element['action_id'])];
        const next = { ...before, [blockId]: { ...before[blockId], [actionId]: { type: element['type'], ...value } } };
        onValues?.(next);
        return next;
      });
    const where = home ? { app_id: view.app_id, home: true } : { view_id: view.id };
    return {
      place: { kind: 'view', viewId: view.id, appId: view.app_id, home },
      values,
      errors,
      busy,
      enter,
      act: (block, element, value) => {
        if (holdsValue(element)) enter(block, element, value);
        setBusy(keyOf(block, element));
        setFailure(null);
        const isInput = block['type'] === 'input';
        const body = isInput
          ? {
              view_id: view.id,
              values: {
                [str(block['block_id'])]: { [str(element['action_id'])]: { type: element['type'], ...value } },
              },
              until: 'ack',
            }
          : { ...where, block_id: block['block_id'], action_id: element['action_id'], ...value, until: 'ack' };
        let requestId: string | undefined;
        const onRequestId = (id: string | undefined): void => void (requestId = id);
        rest<Answer>(isInput ? 'POST /act/type' : 'POST /act/click', { as: 'persona', body, onRequestId })
          .then((answer) => setFailure(failedDelivery(answer, requestId)))
          .catch((error: unknown) => setFailure(error))
          .finally(() => setBusy(null));
      },
      suggest: async (block, element, typed) => {
        const body = { ...where, block_id: block['block_id'], action_id: element['action_id'], value: typed };
        const answer = await rest<{ result: { options: Json[] } }>('POST /act/suggest', { as: 'persona', body });
        return answer.result.options;
      },
    };
  }, [view, home, values, errors, busy, onValues]);
  return (
    <SurfaceContext.Provider value={surface}>
      {children}
      <Failure failure={failure} />
    </SurfaceContext.Provider>
  );
}
