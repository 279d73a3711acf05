import { useEffect, useState, type ReactNode } from 'react';
import { Home } from 'lucide-react';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { BlockList } from '../blocks/blocks.js';
import { screen } from './screen.js';
import { ViewSurface } from './view-surface.js';
import type { View } from './views.js';
import { list } from '../blocks/surface.js';
import styles from './pages.module.css';

/** An app's Home for the current person. */
export function HomeTab({ appId }: { appId: string }): ReactNode {
  const [opened, setOpened] = useState<View | null | undefined>(undefined);
  const current = useStore(screen).home[appId];
  // waits for what the app publishes when its Home is opened; later changes come by the screen's events
  const view = current ?? opened;
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isOver = false;
    const ask = (wait: number): void =>
      void rest<{ result: { view: View | null } }>('POST /act/home', {
        as: 'persona',
        body: { app_id: appId, wait_ms: wait },
      }).then(
        ({ result }) => !isOver && setOpened(result.view),
        (failure: unknown) => !isOver && setError(failure),
      );
    ask(1_000);
    return () => {
      isOver = true;
    };
  }, [appId]);
  return (
    <div className={styles.paneBody}>
      {view === undefined && error === null && <Skeleton />}
      {error !== null && <Empty title={wordsFor(error)} icon={<Home size={22} />} />}
      {view === null && (
        <Empty title="This app has no Home yet" icon={<Home size={22} />}>
          It publishes one with views.publish, usually on the event app_home_opened.
        </Empty>
      )}
      {view && (
        <ViewSurface key={view.hash} view={view} home>
          <BlockList blocks={list(view.blocks)} />
        </ViewSurface>
      )}
    </div>
  );
}
