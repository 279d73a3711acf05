import type { ReactNode } from 'react';
import { useCurrentUser } from '../api/current-user.js';
import { Link } from '../kit/link.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { fullDate } from '../text/time.js';
import { Progress, Who } from './bits.js';
import { useFacts } from './facts.js';
import { useTracker } from './live.js';
import { ask, type Named, type Nodes } from './tracker-api.js';
import { HEALTH, refusal } from './words.js';
import styles from './tracker.module.css';
import own from './projects.module.css';

interface Project extends Named {
  slugId: string;
  progress: number;
  health: string | null;
  targetDate: string | null;
  status: Named & { type: string };
  lead: { id: string } | null;
}

const PROJECTS = `query { projects(first: 250) { nodes { id name slugId progress health targetDate
  status { id name type } lead { id } } } }`;

const TYPES = ['started', 'planned', 'backlog', 'paused', 'completed', 'canceled'];

export const HealthBadge = ({ health }: { health: string | null }): ReactNode =>
  health === null ? (
    <span className={own.none}>No update yet</span>
  ) : (
    <Badge tone={health === 'onTrack' ? 'ok' : health === 'atRisk' ? 'warn' : 'bad'}>{HEALTH[health] ?? health}</Badge>
  );

/** All projects. */
export function ProjectsView(): ReactNode {
  const { team } = useCurrentUser();
  const facts = useFacts();
  const found = useTracker('projects', [], () => ask<{ projects: Nodes<Project> }>(PROJECTS));
  const projects = (found.data?.projects.nodes ?? []).toSorted(
    (a, b) => TYPES.indexOf(a.status.type) - TYPES.indexOf(b.status.type) || a.name.localeCompare(b.name),
  );
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.h1}>Projects</h1>
      </header>
      <div className={styles.body}>
        {found.error && <Empty title={refusal(found.error)} />}
        {found.isPending && <Skeleton />}
        {found.data && projects.length === 0 && (
          <Empty title="No projects yet.">Let your app call projectCreate, or add one by a seed document.</Empty>
        )}
        {projects.length > 0 && (
          <div className={own.frame} tabIndex={0} role="group" aria-label="Table of projects">
            <table className={own.table}>
              <caption className="visually-hidden">Projects</caption>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Status</th>
                  <th scope="col">Health</th>
                  <th scope="col">Lead</th>
                  <th scope="col">Progress</th>
                  <th scope="col">Target date</th>
                </tr>
              </thead>
              <tbody>
                {projects.map((project) => (
                  <tr key={project.id}>
                    <th scope="row">
                      <Link href={`/w/${team.id}/projects/${project.slugId}`} className={own.name}>
                        {project.name}
                      </Link>
                    </th>
                    <td>{project.status.name}</td>
                    <td>
                      <HealthBadge health={project.health} />
                    </td>
                    <td>
                      <Who person={facts?.people.get(project.lead?.id ?? '')} none="No lead" />
                    </td>
                    <td>
                      <Progress value={project.progress} label={`Progress of ${project.name}`} />
                    </td>
                    <td>{project.targetDate === null ? '–' : fullDate(new Date(`${project.targetDate}T12:00:00`))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </>
  );
}
