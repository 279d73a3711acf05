import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { ErrorLine, Field, Switch } from '../kit/field.js';
import { Secret } from '../kit/misc.js';
import type { Application } from './applications.js';
import styles from './settings.module.css';

/** What the tracker can send to an application's webhook. */
const RESOURCE_TYPES =
  'AgentSessionEvent AppUserNotification Attachment Comment Customer CustomerNeed Cycle Document Initiative InitiativeLabel InitiativeUpdate Issue IssueLabel IssueSLA OAuthAuthorization PermissionChange Project ProjectLabel ProjectUpdate Reaction Release ReleaseNote User'.split(
    ' ',
  );

interface Made {
  application: Application;
  clientSecret: string;
  webhookSecret: string | null;
}

const linesOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Registers an application, whose secrets are shown once; with `application` it changes that one. */
export function ApplicationForm({
  application,
  onClose,
  onMade,
}: {
  application?: Application;
  onClose: () => void;
  onMade?: (id: string) => void;
}): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState(application?.name ?? '');
  const [description, setDescription] = useState(application?.description ?? '');
  const [developer, setDeveloper] = useState(application?.developer ?? '');
  const [urls, setUrls] = useState((application?.redirectUris ?? []).join('\n'));
  const [isPublic, setPublic] = useState(application?.distribution === 'public');
  const [hasOwnTokens, setOwnTokens] = useState(application?.grantTypes.includes('client_credentials') ?? false);
  const [webhook, setWebhook] = useState(application?.webhookUrl ?? '');
  const [isSending, setSending] = useState(application?.webhookEnabled ?? true);
  const [types, setTypes] = useState<readonly string[]>(application?.webhookResourceTypes ?? []);
  const [fault, setFault] = useState<string | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const save = async (): Promise<void> => {
    setFault(null);
    const body = {
      name: name.trim(),
      description: orNull(description),
      developer: orNull(developer),
      redirectUris: linesOf(urls),
      distribution: isPublic ? 'public' : 'private',
      grantTypes: ['authorization_code', ...(hasOwnTokens ? ['client_credentials'] : [])],
      webhookUrl: orNull(webhook),
      webhookEnabled: isSending && webhook.trim() !== '',
      webhookResourceTypes: types,
    };
    try {
      if (application) {
        await rest(`PATCH /oauth-applications/${application.id}`, { body });
        onClose();
      } else setMade(await rest<Made & Record<string, unknown>>('POST /oauth-applications', { body }));
      await client.invalidateQueries({ queryKey: ['oauth-applications'] });
    } catch (error) {
      setFault(wordsFor(error));
    }
  };
  if (made) {
    const done = (): void => {
      onClose();
      onMade?.(made.application.id);
    };
    return (
      <Dialog
        title={`${made.application.name} is registered`}
        isOpen
        onClose={done}
        actions={
          <Button kind="primary" onPress={done}>
            Done
          </Button>
        }
      >
        <div className={styles.form}>
          <Secret label="Client ID" value={made.application.clientId} />
          <Secret label="Client secret" value={made.clientSecret} />
          {made.webhookSecret !== null && <Secret label="Webhook secret" value={made.webhookSecret} />}
          <p className={styles.note}>Copy the secrets now: they are not shown again.</p>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={application ? `Edit ${application.name}` : 'New OAuth application'}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            kind="primary"
            isDisabled={name.trim() === '' || linesOf(urls).length === 0}
            onPress={() => void save()}
          >
            {application ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Field label="Name" value={name} onChange={setName} maxLength={80} autoFocus />
        <Field
          label="Redirect URLs"
          note="One a line: http, https, or a scheme of the application’s own."
          lines={3}
          mono
          value={urls}
          onChange={setUrls}
        />
        <Field label="Description" value={description} onChange={setDescription} />
        <Field label="Developer" value={developer} onChange={setDeveloper} />
        <Switch isSelected={isPublic} onChange={setPublic}>
          Public: other organizations may authorize it
        </Switch>
        <Switch isSelected={hasOwnTokens} onChange={setOwnTokens}>
          Client credentials: it may get tokens for itself
        </Switch>
        <Field
          label="Webhook URL"
          placeholder="https://app.example/webhooks/linear"
          value={webhook}
          onChange={setWebhook}
        />
        {webhook.trim() !== '' && (
          <>
            <Switch isSelected={isSending} onChange={setSending}>
              Send to it
            </Switch>
            <fieldset className={styles.types}>
              <legend>What it is sent</legend>
              {RESOURCE_TYPES.map((type) => (
                <label key={type}>
                  <input
                    type="checkbox"
                    checked={types.includes(type)}
                    onChange={() =>
                      setTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type])
                    }
                  />
                  {type}
                </label>
              ))}
            </fieldset>
          </>
        )}
        <ErrorLine>{fault}</ErrorLine>
      </div>
    </Dialog>
  );
}
