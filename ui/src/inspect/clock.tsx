import { useEffect, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useClock } from '../api/sandbox.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Field } from '../kit/field.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { fullTime, span } from '../text/time.js';
import styles from './control.module.css';

/** The sandbox's clock. */
export function ClockPanel(): ReactNode {
  const { team } = useCurrentUser();
  const client = useQueryClient();
  const clock = useClock();
  const [wanted, setWanted] = useState('');
  const [asked, setAsked] = useState(Date.now);
  const [now, setNow] = useState(Date.now);
  useEffect(() => setAsked(Date.now()), [clock.data]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const attempt = (work: Promise<unknown>): void =>
    void work.then(
      () => client.invalidateQueries({ queryKey: ['clock'] }),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const put = (body: object): void => attempt(rest('PUT /sandboxes/self/clock', { body: { ...body } }));
  const advance = (seconds: number): void => attempt(rest('POST /sandboxes/self/clock/advance', { body: { seconds } }));
  if (clock.isPending) return <Skeleton rows={3} />;
  if (clock.error) return <Empty title={wordsFor(clock.error)} />;
  const { data } = clock;
  const shown = new Date(Date.parse(data.now) + (data.frozen ? 0 : Math.max(0, now - asked)));
  const isShifted = Math.abs(data.offset_ms) > 1_000;
  return (
    <div className={styles.page}>
      <p className={styles.clock}>
        <time dateTime={shown.toISOString()}>{fullTime(shown)}</time>
      </p>
      <p className={styles.clockNote}>
        {data.frozen ? (
          <Badge tone="warn">frozen</Badge>
        ) : isShifted ? (
          <Badge tone="warn">{`${span(Math.abs(data.offset_ms) / 1000)} ${data.offset_ms > 0 ? 'ahead' : 'behind'}`}</Badge>
        ) : (
          <Badge tone="ok">real time</Badge>
        )}
      </p>
      <div className={styles.buttons}>
        <Button onPress={() => advance(60)}>+1 min</Button>
        <Button onPress={() => advance(300)}>+5 min</Button>
        <Button onPress={() => advance(3_600)}>+1 h</Button>
        <Button onPress={() => put({ frozen: !data.frozen })}>{data.frozen ? 'Let it run' : 'Freeze'}</Button>
        <Button
          isDisabled={!data.frozen && !isShifted}
          onPress={() => attempt(rest(`DELETE /sandboxes/self/clock?team_id=${team.id}`))}
        >
          Back to real time
        </Button>
      </div>
      <form
        className={styles.factor}
        onSubmit={(event) => {
          event.preventDefault();
          put({ now: wanted });
        }}
      >
        <Field label="Set to" placeholder="2026-01-01T09:00:00Z" value={wanted} onChange={setWanted} />
        <Button type="submit" isDisabled={wanted === ''}>
          Set
        </Button>
      </form>
    </div>
  );
}
