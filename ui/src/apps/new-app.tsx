import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { documentFault } from '../api/document-fault.js';
import { urlOf } from '../api/base.js';
import { envLines } from '../api/environment.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import {
  DocumentEditor,
  faultOf,
  parseDocument,
  translate,
  type DocumentFault,
  type Language,
} from '../kit/document-editor.js';
import { CodeBlock, CopyButton, Secret } from '../kit/misc.js';
import { Tabs } from '../kit/tabs.js';
import { TEMPLATES } from './templates.js';
import styles from './apps.module.css';

interface Made {
  id: string;
  name: string;
  bot_token: string;
  user_token: string | null;
  app_token?: string | null;
  credentials: { signing_secret: string; verification_token: string };
}

/** Creates an app from a manifest and shows its tokens. */
export function NewApp({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }): ReactNode {
  const [language, setLanguage] = useState<Language>('yaml');
  const [source, setSource] = useState(TEMPLATES[0]?.[1] ?? '');
  const [fault, setFault] = useState<DocumentFault | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const client = useQueryClient();
  const change = async (next: Language): Promise<void> => {
    if (next === language) return;
    try {
      setSource(await translate(source, next));
      setLanguage(next);
    } catch (failure) {
      setFault(await faultOf(source, failure));
    }
  };
  const create = async (): Promise<void> => {
    setFault(null);
    try {
      const manifest = await parseDocument(source);
      setMade(await rest<Made & Record<string, unknown>>('POST /apps', { body: { manifest } }));
      await client.invalidateQueries({ queryKey: ['apps'] });
    } catch (failure) {
      setFault(await documentFault(source, failure));
    }
  };
  if (made)
    return (
      <MadeApp
        made={made}
        onClose={() => {
          onClose();
          onMade(made.id);
        }}
      />
    );
  return (
    <Dialog
      title="New app"
      size="large"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" onPress={() => void create()}>
            Create
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <div className={styles.buttons} role="group" aria-label="Start from">
          <span className={styles.note}>Start from</span>
          {TEMPLATES.map(([name, text]) => (
            <Button
              key={name}
              size="small"
              onPress={() => {
                setLanguage('yaml');
                setSource(text);
                setFault(null);
              }}
            >
              {name}
            </Button>
          ))}
          <span className={styles.gap} />
          {(['yaml', 'json'] as const).map((each) => (
            <Button
              key={each}
              size="small"
              kind={language === each ? 'primary' : 'plain'}
              onPress={() => void change(each)}
            >
              {each.toUpperCase()}
            </Button>
          ))}
        </div>
        <DocumentEditor label="Manifest" language={language} source={source} fault={fault} onChange={setSource} />
      </div>
    </Dialog>
  );
}

function MadeApp({ made, onClose }: { made: Made; onClose: () => void }): ReactNode {
  const api = urlOf('api/').href;
  const env = envLines({ ...made, signing_secret: made.credentials.signing_secret });
  const snippets = [
    [
      'Node',
      `import { WebClient } from '@slack/web-api';\n\nconst client = new WebClient('${made.bot_token}', { slackApiUrl: '${api}' });\nawait client.chat.postMessage({ channel: '#general', text: 'Hello' });`,
    ],
    [
      'Python',
      `from slack_sdk import WebClient\n\nclient = WebClient(token="${made.bot_token}", base_url="${api}")\nclient.chat_postMessage(channel="#general", text="Hello")`,
    ],
    [
      'curl',
      `curl -sS ${api}chat.postMessage -H 'Authorization: Bearer ${made.bot_token}' \\\n  --data-urlencode 'channel=#general' --data-urlencode 'text=Hello'`,
    ],
    ['.env', env],
  ] as const;
  return (
    <Dialog
      title={`${made.name} is ready`}
      size="large"
      isOpen
      onClose={onClose}
      actions={
        <>
          <CopyButton words label="Copy as .env" text={env} />
          <Button kind="primary" onPress={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Secret label="Bot token" value={made.bot_token} />
        {made.user_token && <Secret label="User token" value={made.user_token} />}
        {made.app_token && <Secret label="App token" value={made.app_token} />}
        <Secret label="Signing secret" value={made.credentials.signing_secret} />
        <p className={styles.note}>
          Copy the tokens now: only their hashes are stored. The app is in no channel until it is invited.
        </p>
        <Tabs
          label="Snippets"
          tabs={snippets.map(([name, text]) => ({
            id: name,
            title: name,
            content: <CodeBlock label={name} text={text} />,
          }))}
        />
      </div>
    </Dialog>
  );
}
