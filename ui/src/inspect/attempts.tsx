import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { AttemptList, redeliver, type Delivery } from './delivery-row.js';
import type { Entry } from './entries.js';
import styles from './entry.module.css';

/** Every attempt of the delivery that an entry belongs to. */
export function Attempts({ entry }: { entry: Entry }): ReactNode {
  const { team } = useCurrentUser();
  const found = useQuery({
    queryKey: ['attempts', team.id, entry.delivery_id],
    queryFn: () =>
      rest<{ deliveries: Delivery[] }>(`GET /sandboxes/self/deliveries?limit=200&order=desc&team_id=${team.id}`),
    refetchInterval: 2_000,
    retry: false,
  });
  if (found.isPending) return <Skeleton rows={3} />;
  const delivery = found.data?.deliveries.find(
    (one) => one.id === entry.delivery_id || one.event_id === entry.event_id,
  );
  const hold = (): void =>
    void rest('POST /sandboxes/self/delivery-rules', {
      body: {
        on: entry.target?.id ? { target: entry.target.id } : {},
        do: { type: 'hold' },
        times: 1,
      },
    }).then(
      () => say('The next delivery to this target is held.'),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  if (!delivery) return <p className={styles.none}>Its attempts have expired.</p>;
  return (
    <div className={styles.attempts}>
      <div className={styles.buttons}>
        <Button size="small" onPress={() => void redeliver([delivery])}>
          Resend now
        </Button>
        <Button size="small" onPress={hold}>
          Hold next
        </Button>
      </div>
      <AttemptList delivery={delivery} />
    </div>
  );
}
