import { useCallback, useRef, useState, type ReactNode } from 'react';
import { rest } from '../api/client.js';
import { useStore } from '../kit/store.js';
import { BlockList } from '../blocks/blocks.js';
import { list, type Values } from '../blocks/surface.js';
import { wordsOf } from '../blocks/text-object.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { refreshScreen, screen } from './screen.js';
import { failedDelivery, Failure, ViewSurface } from './view-surface.js';
import type { View } from './views.js';

interface SubmitAnswer {
  result: { closed: boolean; errors: Record<string, string>; view: View | null };
  deliveries?: { outcome: string; error?: string }[];
}

/** The modals that apps opened for this person; the topmost is shown as a dialog. */
export function Modals(): ReactNode {
  const { modals } = useStore(screen);
  const top = modals.at(-1);
  if (!top) return null;
  return <Modal key={`${top.id}:${top.hash}`} view={top} depth={modals.length} />;
}

function Modal({ view, depth }: { view: View; depth: number }): ReactNode {
  const values = useRef<Values>(view.state?.values ?? {});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const keepValues = useCallback((next: Values) => (values.current = next), []);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    let requestId: string | undefined;
    try {
      const answer = await rest<SubmitAnswer>('POST /act/submit', {
        as: 'persona',
        body: { view_id: view.id, values: values.current, until: 'ack' },
        onRequestId: (id) => void (requestId = id),
      });
      const words: Record<string, string> = {};
      for (const [block, error] of Object.entries(answer.result.errors))
        words[block] = error === 'required' ? 'Please fill this in.' : error;
      setErrors(words);
      setFailure(failedDelivery(answer, requestId));
      if (Object.keys(words).length === 0) await refreshScreen();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const close = (): void =>
    void rest('POST /act/close', { as: 'persona', body: { view_id: view.id, until: 'none' } })
      .catch(() => undefined)
      .then(refreshScreen);
  return (
    <Dialog
      title={wordsOf(view.title) || 'Dialog'}
      note={depth > 1 ? `${depth} of 3` : undefined}
      isOpen
      onClose={close}
      actions={
        <>
          <Button onPress={close}>{wordsOf(view.close) || 'Cancel'}</Button>
          {view.submit && (
            <Button kind="primary" isDisabled={isBusy || view.submit_disabled === true} onPress={() => void submit()}>
              {wordsOf(view.submit)}
            </Button>
          )}
        </>
      }
    >
      <ViewSurface view={view} errors={errors} onValues={keepValues}>
        <BlockList blocks={list(view.blocks)} />
      </ViewSurface>
      <Failure failure={failure} />
    </Dialog>
  );
}
