import type { ReactNode } from 'react';
import { useCurrentUser } from '../api/current-user.js';
import { Link } from '../kit/link.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { fullDate } from '../text/time.js';
import { Progress } from './bits.js';
import { useTeamFacts } from './facts.js';
import type { Cycle } from './tracker-api.js';
import styles from './tracker.module.css';
import own from './projects.module.css';

/** The cycles of a team, the newest first. */
export function CyclesView({ teamKey }: { teamKey: string }): ReactNode {
  const { team } = useCurrentUser();
  const facts = useTeamFacts(teamKey);
  if (facts === undefined) return <Skeleton />;
  if (facts === null) return <Empty title={`There is no team ${teamKey}, or you cannot see it.`} />;
  const cycles = [...facts.cycles.values()].toSorted((a, b) => b.number - a.number);
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.h1}>Cycles of {facts.team.name}</h1>
      </header>
      <div className={styles.body}>
        {cycles.length === 0 ? (
          <Empty title="No cycles yet.">Let your app call cycleCreate, or add one by a seed document.</Empty>
        ) : (
          <div className={own.article}>
            <ul className={own.list} aria-label="Cycles">
              {cycles.map((cycle) => (
                <li key={cycle.id}>
                  <Link
                    className={`${own.name} ${own.grow}`}
                    href={`/w/${team.id}/t/${facts.team.key}?cycle=${cycle.number}`}
                  >
                    {cycle.name ?? `Cycle ${cycle.number}`}
                  </Link>
                  <When cycle={cycle} />
                  <span className={own.soft}>
                    {fullDate(new Date(cycle.startsAt))} – {fullDate(new Date(cycle.endsAt))}
                  </span>
                  <Progress value={cycle.progress} label={`Progress of cycle ${cycle.number}`} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </>
  );
}

const When = ({ cycle }: { cycle: Cycle }): ReactNode =>
  cycle.isActive ? <Badge tone="accent">active</Badge> : <Badge>{cycle.isPast ? 'past' : 'upcoming'}</Badge>;
