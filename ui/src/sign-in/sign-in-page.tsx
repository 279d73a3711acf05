import { useState, type FormEvent, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useGo } from '../kit/link.js';
import { isOwnPath } from '../kit/own-path.js';
import { urlOf } from '../api/base.js';
import { ApiError, wordsFor } from '../api/errors.js';
import { login, sessionStore, signup } from '../api/session.js';
import { useStore } from '../kit/store.js';
import { Button } from '../kit/button.js';
import { ErrorLine, Field } from '../kit/field.js';
import styles from './sign-in.module.css';

/** E-mail and password; after a link failed, how to get a new one. */
export function SignInPage(): ReactNode {
  const state = useStore(sessionStore);
  const [search] = useSearchParams();
  const navigate = useGo();
  const [isNew, setNew] = useState(false);
  const [fields, setFields] = useState({ email: '', password: '', name: '' });
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const reason = state.kind === 'out' ? state.reason : undefined;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const { email, password, name } = fields;
      const session = isNew
        ? await signup({ email, password, ...(name === '' ? {} : { name }) })
        : await login({ email, password });
      const back = search.get('to');
      // a separate page, not a route of this app
      if (back === '/graphiql') return window.location.assign(urlOf(back));
      navigate(back !== null && isOwnPath(back) ? back : `/w/${session.team.id}`, { replace: true });
    } catch (failure) {
      setError(
        failure instanceof ApiError && failure.status === 400
          ? [failure.code, ...failure.detail].join('; ')
          : wordsFor(failure),
      );
    } finally {
      setBusy(false);
    }
  };
  const field = (key: keyof typeof fields, label: string, type: string, complete: string): ReactNode => (
    <Field
      label={label}
      type={type}
      autoComplete={complete}
      isRequired={key !== 'name'}
      value={fields[key]}
      onChange={(text) => setFields({ ...fields, [key]: text })}
    />
  );
  return (
    <main id="main" className={styles.page}>
      <div className={styles.card}>
        <img src="favicon.svg" alt="" className={styles.mark} />
        <h1 className={styles.title}>{isNew ? 'Create an account' : 'Sign in to Understudy'}</h1>
        {reason !== undefined && (
          <div className={styles.reason} role="status">
            <p>{wordsFor(new ApiError(reason, 0))}</p>
            {reason === 'invalid_link' && (
              <p>
                For a new one: <code>npx --no-install understudy open</code>
              </p>
            )}
          </div>
        )}
        <form className={styles.form} onSubmit={(event) => void submit(event)}>
          {isNew && field('name', 'Name', 'text', 'name')}
          {field('email', 'E-mail', 'email', 'email')}
          {field('password', 'Password', 'password', isNew ? 'new-password' : 'current-password')}
          <ErrorLine>{error}</ErrorLine>
          <Button kind="primary" type="submit" wide isDisabled={isBusy}>
            {isNew ? 'Create account' : 'Sign in'}
          </Button>
        </form>
        <Button kind="link" onPress={() => setNew(!isNew)}>
          {isNew ? 'I have an account' : 'Create an account'}
        </Button>
      </div>
    </main>
  );
}
