import { useState, type ReactNode } from 'react';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { directory, fullName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Choice } from '../kit/field.js';
import { Secret } from '../kit/misc.js';
import { useStore } from '../kit/store.js';
import { say } from '../kit/toasts.js';
import styles from './settings.module.css';

interface Made {
  token: string;
  refresh_token: string;
}

/** Hands out configuration tokens, with which programs register apps by their manifests. */
export function ConfigurationTokens(): ReactNode {
  const { session } = useCurrentUser();
  const users = useStore(directory);
  const [user, setUser] = useState(session.user.id);
  const [made, setMade] = useState<Made | null>(null);
  const people = [...users.values()].filter((one) => !one.is_bot && !one.deleted);
  const make = (): void =>
    void rest<Made & Record<string, unknown>>('POST /sandboxes/self/config-token', { body: { user } }).then(
      setMade,
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  return (
    <div className={styles.section}>
      <p className={styles.note}>
        A configuration token is for apps.manifest.create and the methods beside it, in the name of a person. It lives
        for 12 hours; tooling.tokens.rotate gives a new one for its refresh token, once.
      </p>
      <div className={styles.narrow}>
        <Choice
          label="In the name of"
          value={user}
          options={people.slice(0, 500).map((one) => [one.id, fullName(one)] as const)}
          onChange={(id) => {
            setUser(id);
            setMade(null);
          }}
        />
      </div>
      <Button kind="primary" onPress={make}>
        New configuration token
      </Button>
      {made && (
        <>
          <Secret label="Token" value={made.token} />
          <Secret label="Refresh token" value={made.refresh_token} />
          <p className={styles.note}>Copy them now: only their hashes are stored.</p>
        </>
      )}
    </div>
  );
}
