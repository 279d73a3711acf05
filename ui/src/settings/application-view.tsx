import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Badge, Id, Secret } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { ago } from '../text/time.js';
import { ApplicationForm } from './application-form.js';
import { AuthorizeDialog } from './authorize-dialog.js';
import type { Application, Guest } from './applications.js';
import styles from './settings.module.css';

interface Authorization {
  id: string;
  actor: 'user' | 'app';
  scopes: string[];
  userId: string;
  userName: string | null;
  updatedAt: string;
}

type Question = 'client' | 'webhook' | 'delete' | 'end';

/** What is asked before something that cannot be undone. */
const QUESTIONS: Readonly<Record<Question, readonly [title: string, verb: string, text: string]>> = {
  client: [
    'Rotate the client secret?',
    'Rotate',
    'The old one stops at once, and so does the token it got for itself.',
  ],
  webhook: ['Rotate the webhook secret?', 'Rotate', 'Deliveries from now on are signed with the new one.'],
  delete: ['Delete this application?', 'Delete', 'All its tokens stop at once, in every organization.'],
  end: ['Revoke its access?', 'Revoke', 'All its tokens in this organization stop at once.'],
};

/** One application: how it is registered, and who authorized it; of a guest only the latter. */
export function ApplicationView({
  application,
  guest,
  onGone,
}: {
  application: Application | undefined;
  guest: Guest | undefined;
  onGone: () => void;
}): ReactNode {
  const client = useQueryClient();
  const id = application?.id ?? guest?.app_id ?? '';
  const [asked, setAsked] = useState<Question | null>(null);
  const [shown, setShown] = useState<readonly [string, string] | null>(null);
  const [isEditing, setEditing] = useState(false);
  const [isAuthorizing, setAuthorizing] = useState(false);
  const answer = async (): Promise<void> => {
    const question = asked;
    setAsked(null);
    const at = `/oauth-applications/${id}`;
    try {
      if (question === 'client') {
        const { clientSecret } = await rest<{ clientSecret: string }>(`POST ${at}/rotate-secret`, { body: {} });
        setShown(['Client secret', clientSecret]);
      } else if (question === 'webhook') {
        const { webhookSecret } = await rest<{ webhookSecret: string }>(`POST ${at}/rotate-webhook-secret`, {
          body: {},
        });
        setShown(['Webhook secret', webhookSecret]);
      } else {
        await rest(question === 'delete' ? `DELETE ${at}` : `DELETE ${at}/authorization`);
        say(question === 'delete' ? 'Deleted.' : 'Revoked.');
        if (question === 'delete' || !application) onGone();
        await Promise.all(
          ['oauth-applications', 'authorizations'].map((key) => client.invalidateQueries({ queryKey: [key] })),
        );
      }
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    }
  };
  const [title, verb, text] = QUESTIONS[asked ?? 'end'];
  return (
    <>
      <h2 className={styles.heading}>{application?.name ?? guest?.name}</h2>
      {application && (
        <>
          <div className={styles.buttons}>
            <Button kind="primary" onPress={() => setAuthorizing(true)}>
              Authorize…
            </Button>
            <Button onPress={() => setEditing(true)}>Edit…</Button>
            <Button kind="danger" onPress={() => setAsked('delete')}>
              Delete…
            </Button>
          </div>
          <Registration application={application} />
          {shown !== null && (
            <>
              <Secret label={shown[0]} value={shown[1]} />
              <p className={styles.note}>Copy it now: it is not shown again.</p>
            </>
          )}
          <div className={styles.buttons}>
            <Button onPress={() => setAsked('client')}>Rotate client secret…</Button>
            <Button onPress={() => setAsked('webhook')}>Rotate webhook secret…</Button>
          </div>
        </>
      )}
      <h2 className={styles.heading}>Authorized by</h2>
      <Authorizations id={id} onRevoke={() => setAsked('end')} />
      {isEditing && application && <ApplicationForm application={application} onClose={() => setEditing(false)} />}
      {isAuthorizing && application && (
        <AuthorizeDialog application={application} onClose={() => setAuthorizing(false)} />
      )}
      <Confirm
        title={title}
        verb={verb}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => void answer()}
      >
        <p>{text}</p>
      </Confirm>
    </>
  );
}

function Registration({ application }: { application: Application }): ReactNode {
  const { clientId, redirectUris, grantTypes, distribution, webhookUrl, webhookEnabled, webhookResourceTypes } =
    application;
  const rows: [string, ReactNode][] = [
    ['Client ID', <Id key="id" id={clientId} />],
    [
      'Redirect URLs',
      <ul key="urls" className={styles.plain}>
        {redirectUris.map((url) => (
          <li key={url}>
            <code>{url}</code>
          </li>
        ))}
      </ul>,
    ],
    ['Distribution', distribution === 'public' ? 'public' : 'private: this organization alone'],
    ['Grants', grantTypes.map((type) => type.replaceAll('_', ' ')).join(', ')],
    ['Webhook', webhookUrl === null ? 'none' : `${webhookUrl}${webhookEnabled ? '' : ' (off)'}`],
    ...(webhookUrl === null
      ? []
      : [
          ['It is sent', webhookResourceTypes.join(', ') || 'the end of its authorization alone'] as [
            string,
            ReactNode,
          ],
        ]),
    ...(application.description === null ? [] : [['Description', application.description] as [string, ReactNode]]),
    ...(application.developer === null ? [] : [['Developer', application.developer] as [string, ReactNode]]),
  ];
  return (
    <dl className={styles.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Authorizations({ id, onRevoke }: { id: string; onRevoke: () => void }): ReactNode {
  const found = useQuery({
    queryKey: ['authorizations', id],
    queryFn: () => rest<{ authorizations: Authorization[] }>(`GET /oauth-applications/${id}/authorizations`),
    retry: false,
  });
  if (found.error) return <p>{wordsFor(found.error)}</p>;
  const authorizations = found.data?.authorizations ?? [];
  return (
    <>
      <ul className={styles.people} aria-label="Authorizations">
        {authorizations.map((one) => (
          <li key={one.id} className={styles.person}>
            <span className={styles.words}>
              <bdi>{one.userName ?? one.userId}</bdi>
              <span className={styles.note}>
                {one.scopes.join(', ')} · {ago(new Date(one.updatedAt))}
              </span>
            </span>
            <Badge tone={one.actor === 'app' ? 'accent' : 'plain'}>{one.actor === 'app' ? 'app' : 'person'}</Badge>
          </li>
        ))}
        {found.data && authorizations.length === 0 && <li className={styles.note}>Nobody in this organization.</li>}
      </ul>
      {authorizations.length > 0 && (
        <Button kind="danger" onPress={onRevoke}>
          Revoke access…
        </Button>
      )}
    </>
  );
}
