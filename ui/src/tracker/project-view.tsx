import { useState, type ReactNode } from 'react';
import { useCurrentUser } from '../api/current-user.js';
import { MarkdownBlock } from '../blocks/markdown.js';
import { Button } from '../kit/button.js';
import { Choice, Field } from '../kit/field.js';
import { Link } from '../kit/link.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { ago, fullDate } from '../text/time.js';
import { Progress, Who } from './bits.js';
import { Comments } from './comments.js';
import { DocumentItem } from './documents.js';
import { useFacts, type Facts } from './facts.js';
import { useLookAgain, useTracker } from './live.js';
import { HealthBadge } from './projects-view.js';
import { ask, type Document, type Named, type Nodes, type Team } from './tracker-api.js';
import { complain, HEALTH, refusal } from './words.js';
import styles from './tracker.module.css';
import own from './projects.module.css';

interface Update {
  id: string;
  body: string;
  health: string;
  createdAt: string;
  editedAt: string | null;
  commentCount: number;
  user: { id: string };
}

interface Project extends Named {
  slugId: string;
  description: string;
  content: string | null;
  progress: number;
  health: string | null;
  startDate: string | null;
  targetDate: string | null;
  status: Named;
  lead: { id: string } | null;
  teams: Nodes<Team>;
  projectMilestones: Nodes<Named & { status: string; targetDate: string | null; progress: number; sortOrder: number }>;
  projectUpdates: Nodes<Update>;
  documents: Nodes<Document>;
}

const PROJECT = `query ($slug: String!) { project(id: $slug) { id name slugId description content progress health
  startDate targetDate status { id name } lead { id } teams(first: 50) { nodes { id key name } }
  projectMilestones(first: 100) { nodes { id name status targetDate progress sortOrder } }
  projectUpdates(first: 50) { nodes { id body health createdAt editedAt commentCount user { id } } }
  documents(first: 50) { nodes { id title content } } }
  projectStatuses(first: 100) { nodes { id name } } }`;

const MILESTONE: Readonly<Record<string, string>> = {
  done: 'Done',
  next: 'Next',
  overdue: 'Overdue',
  unstarted: 'Not started',
};

/** One project: what it is, its milestones, what was posted about it. */
export function ProjectView({ slug }: { slug: string }): ReactNode {
  const facts = useFacts();
  const found = useTracker('project', [slug], () =>
    ask<{ project: Project; projectStatuses: Nodes<Named> }>(PROJECT, { slug }),
  );
  if (found.error) return <Empty title={refusal(found.error)} />;
  if (!found.data || !facts) return <Skeleton />;
  return <ProjectPage facts={facts} project={found.data.project} statuses={found.data.projectStatuses.nodes} />;
}

const day = (date: string | null): string => (date === null ? '–' : fullDate(new Date(`${date}T12:00:00`)));

function ProjectPage({ facts, project, statuses }: { facts: Facts; project: Project; statuses: Named[] }): ReactNode {
  const { team } = useCurrentUser();
  const lookAgain = useLookAgain();
  const setStatus = (statusId: string): void =>
    void ask(
      'mutation ($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success } }',
      {
        id: project.id,
        input: { statusId },
      },
    ).then(lookAgain, complain);
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.h1}>{project.name}</h1>
        <Choice
          label="Status"
          hideLabel
          value={project.status.id}
          options={statuses.map(({ id, name }): [string, string] => [id, name])}
          onChange={setStatus}
        />
      </header>
      <div className={styles.body}>
        <div className={own.article}>
          <dl className={own.facts}>
            <Fact title="Health">
              <HealthBadge health={project.health} />
            </Fact>
            <Fact title="Lead">
              <Who person={facts.people.get(project.lead?.id ?? '')} none="No lead" />
            </Fact>
            <Fact title="Progress">
              <Progress value={project.progress} label={`Progress of ${project.name}`} />
            </Fact>
            <Fact title="Start">{day(project.startDate)}</Fact>
            <Fact title="Target date">{day(project.targetDate)}</Fact>
            <Fact title="Issues">
              {project.teams.nodes.map(({ id, key }, index) => (
                <span key={id}>
                  {index > 0 && ', '}
                  <Link href={`/w/${team.id}/t/${key}?${new URLSearchParams({ project: project.name }).toString()}`}>
                    {key}
                  </Link>
                </span>
              ))}
            </Fact>
          </dl>
          {(project.description !== '' || project.content) && (
            <MarkdownBlock block={{ text: project.content || project.description }} />
          )}
          <section aria-label="Milestones">
            <h2 className={own.h2}>Milestones</h2>
            {project.projectMilestones.nodes.length === 0 ? (
              <p className={own.soft}>None.</p>
            ) : (
              <ul className={own.list}>
                {project.projectMilestones.nodes
                  .toSorted((a, b) => a.sortOrder - b.sortOrder)
                  .map(({ id, name, status, targetDate, progress }) => (
                    <li key={id}>
                      <span className={own.grow}>{name}</span>
                      {targetDate !== null && <span className={own.soft}>{day(targetDate)}</span>}
                      <Badge tone={status === 'done' ? 'ok' : status === 'overdue' ? 'bad' : 'plain'}>
                        {MILESTONE[status] ?? status}
                      </Badge>
                      <Progress value={progress} label={`Progress of ${name}`} />
                    </li>
                  ))}
              </ul>
            )}
          </section>
          {project.documents.nodes.length > 0 && (
            <section aria-label="Documents">
              <h2 className={own.h2}>Documents</h2>
              <ul className={own.list}>
                {project.documents.nodes.map((document) => (
                  <DocumentItem key={document.id} document={document} facts={facts} />
                ))}
              </ul>
            </section>
          )}
          <section aria-label="Updates">
            <h2 className={own.h2}>Updates</h2>
            <PostUpdate project={project} />
            {project.projectUpdates.nodes.map((update) => (
              <UpdateView key={update.id} update={update} facts={facts} />
            ))}
          </section>
        </div>
      </div>
    </>
  );
}

function UpdateView({ update, facts }: { update: Update; facts: Facts }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { id, body, createdAt, commentCount: count } = update;
  const day = createdAt.slice(0, 10);
  return (
    <article className={own.update} aria-label={`Update of ${day}`}>
      <header className={own.updateHead}>
        <Who person={facts.people.get(update.user.id)} />
        <HealthBadge health={update.health} />
        <span className={own.soft}>
          {ago(new Date(createdAt))}
          {update.editedAt !== null && ' (edited)'}
        </span>
      </header>
      <MarkdownBlock block={{ text: body }} />
      <Button size="small" kind="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
        {count === 0 ? 'Comment' : count === 1 ? '1 comment' : `${count} comments`}
      </Button>
      {isOpen && <Comments of="update" id={id} label={`Comment on the update of ${day}`} facts={facts} />}
    </article>
  );
}

const Fact = ({ title, children }: { title: string; children: ReactNode }): ReactNode => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

function PostUpdate({ project }: { project: Project }): ReactNode {
  const lookAgain = useLookAgain();
  const [body, setBody] = useState('');
  const [health, setHealth] = useState<string>(project.health ?? 'onTrack');
  const post = async (): Promise<void> => {
    await ask('mutation ($input: ProjectUpdateCreateInput!) { projectUpdateCreate(input: $input) { success } }', {
      input: { projectId: project.id, body, health },
    });
    setBody('');
    await lookAgain();
  };
  return (
    <form
      className={own.post}
      onSubmit={(event) => {
        event.preventDefault();
        if (body.trim() !== '') post().catch(complain);
      }}
    >
      <Field label="New update" lines={3} placeholder="How is it going?" value={body} onChange={setBody} />
      <div className={own.postFoot}>
        <Choice label="Health" hideLabel value={health} options={Object.entries(HEALTH)} onChange={setHealth} />
        <Button kind="primary" type="submit" isDisabled={body.trim() === ''}>
          Post update
        </Button>
      </div>
    </form>
  );
}
