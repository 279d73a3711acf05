import { useState, type ReactNode } from 'react';
import { urlOf } from '../api/base.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice } from '../kit/field.js';
import { CopyButton } from '../kit/misc.js';
import type { Application } from './applications.js';
import styles from './settings.module.css';

const SCOPES = ['read', 'write', 'issues:create', 'comments:create', 'timeSchedule:write'];
const OF_PEOPLE = ['admin'];
const OF_APPS = ['app:assignable', 'app:mentionable'];

/** Makes an authorize URL, and goes to its consent page. */
export function AuthorizeDialog({
  application: { name, clientId, redirectUris },
  onClose,
}: {
  application: Application;
  onClose: () => void;
}): ReactNode {
  const [actor, setActor] = useState<'user' | 'app'>('user');
  const [url, setUrl] = useState(redirectUris[0] ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(['read', 'write']);
  const offered = [...SCOPES, ...(actor === 'app' ? OF_APPS : OF_PEOPLE)];
  const authorize = urlOf('oauth/authorize');
  authorize.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: url,
    response_type: 'code',
    scope: offered.filter((scope) => chosen.includes(scope)).join(','),
    actor,
  }).toString();
  return (
    <Dialog
      title={`Authorize ${name}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <CopyButton words label="Copy link" text={authorize.href} />
          <Button kind="primary" onPress={() => window.location.assign(authorize.href)}>
            Go to the consent page
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Choice
          label="Actor"
          value={actor}
          options={[
            ['user', 'The person who allows it'],
            ['app', 'A user of the application’s own'],
          ]}
          onChange={setActor}
        />
        <Choice
          label="Redirect URL"
          value={url}
          options={redirectUris.map((one) => [one, one] as const)}
          onChange={setUrl}
        />
        <fieldset className={styles.types}>
          <legend>Scopes</legend>
          {offered.map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scope === 'read' || chosen.includes(scope)}
                disabled={scope === 'read'}
                onChange={() =>
                  setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
                }
              />
              {scope}
            </label>
          ))}
        </fieldset>
      </div>
    </Dialog>
  );
}
