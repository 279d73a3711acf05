import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { loadApplications } from './applications.js';
import { useCurrentUser } from '../api/current-user.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Link, useGo } from '../kit/link.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { ApplicationForm } from './application-form.js';
import { ApplicationView } from './application-view.js';
import styles from './settings.module.css';

/** The applications of the tracker: `item` is the id of the one that is open. */
export function OauthApplications({ item }: { item: string | undefined }): ReactNode {
  const { team } = useCurrentUser();
  const navigate = useGo();
  const [isMaking, setMaking] = useState(false);
  const found = useQuery({ queryKey: ['oauth-applications'], queryFn: loadApplications, retry: false });
  const at = `/w/${team.id}/settings/oauth-applications`;
  if (found.isPending) return <Skeleton />;
  if (found.error) return <Empty title={wordsFor(found.error)} />;
  const { own, guests } = found.data;
  const application = own.find(({ id }) => id === item);
  const guest = guests.find(({ app_id: id }) => id === item);
  if (item !== undefined && (application || guest))
    return (
      <div className={styles.section}>
        <Link href={at} className={styles.back}>
          All OAuth applications
        </Link>
        <ApplicationView
          key={item}
          application={application}
          guest={guest}
          onGone={() => navigate(at, { replace: true })}
        />
      </div>
    );
  return (
    <div className={styles.section}>
      <p className={styles.note}>
        Applications that are authorized with OAuth 2.0 to use the tracker, in the name of people or as users of their
        own.
      </p>
      <Button icon={<Plus size={14} />} kind="primary" onPress={() => setMaking(true)}>
        New application
      </Button>
      {item !== undefined && <p role="status">This application does not exist.</p>}
      <ul className={styles.people} aria-label="OAuth applications">
        {own.map((one) => (
          <li key={one.id} className={styles.person}>
            <span className={styles.words}>
              <Link href={`${at}/${one.id}`} className={styles.link}>
                {one.name}
              </Link>
              <span className={styles.note}>{one.redirectUris[0]}</span>
            </span>
            {one.distribution === 'public' && <Badge tone="accent">public</Badge>}
          </li>
        ))}
        {guests.map((one) => (
          <li key={one.app_id} className={styles.person}>
            <span className={styles.words}>
              <Link href={`${at}/${one.app_id}`} className={styles.link}>
                {one.name}
              </Link>
              <span className={styles.note}>of another organization</span>
            </span>
            <Badge>authorized here</Badge>
          </li>
        ))}
        {own.length + guests.length === 0 && <li className={styles.note}>There is none yet.</li>}
      </ul>
      {isMaking && <ApplicationForm onClose={() => setMaking(false)} onMade={(made) => navigate(`${at}/${made}`)} />}
    </div>
  );
}
