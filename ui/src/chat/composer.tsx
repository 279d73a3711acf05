import { useEffect, useId, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useFirstScreen } from '../kit/first-screen.js';
import { useLatest } from '../kit/latest.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';
import { useKeyedState } from '../kit/use-keyed-state.js';
import { call } from '../api/client.js';
import { conversations } from '../api/conversations.js';
import { directory } from '../api/directory.js';
import { useCommands } from '../api/apps.js';
import { useStore } from '../kit/store.js';
import type { Message } from '../api/wire.js';
import { emojiSet, loadEmoji } from '../text/emoji.js';
import { encodeMentions } from '../text/mentions.js';
import { Mrkdwn } from '../text/mrkdwn-view.js';
import { useChat } from './chat-context.js';
import { choicesFor, completingAt, type Choice } from './completion.js';
import { CompletionList } from './completion-list.js';
import { ComposerBar } from './composer-bar.js';
import { SendJson } from './send-json.js';
import { useSlashCommand } from './slash.js';
import { channelWindow, threadWindow } from './windows.js';
import { useTypedNames } from './typed-names.js';
import { useUpload } from './upload.js';
import styles from './composer.module.css';

interface ComposerProps {
  readonly channel: string;
  readonly thread?: string;
  readonly label: string;
  readonly members: ReadonlySet<string>;
  readonly autoFocus?: boolean;
}

const draftKey = (teamId: string, meId: string, channel: string, thread: string | undefined): string =>
  `draft:${teamId}:${meId}:${channel}${thread === undefined ? '' : `:${thread}`}`;

/** Names below the text field what will become a mention. */
function wordsOfMentions(mentions: readonly string[]): string {
  if (mentions.length === 0) return '';
  const said = [...new Set(mentions)].slice(0, 3).join(', ');
  return `${said} ${mentions.length === 1 ? 'is a mention' : 'are mentions'}`;
}

/**
 * The message composer: plain mrkdwn with completion, a draft, and slash commands. It is kept mounted when another
 * conversation is opened, as its tools take longer to render than a page of messages.
 */
export function Composer({ channel, thread, label, members, autoFocus = false }: ComposerProps): ReactNode {
  const chat = useChat();
  const names = useTypedNames();
  const users = useStore(directory);
  const rooms = useStore(conversations);
  const emoji = useStore(emojiSet);
  const commands = useCommands();
  const key = draftKey(chat.teamId, chat.meId, channel, thread);
  const [text, setText] = useKeyedState(key, () => readLocal(key, ''));
  const [cursor, setCursor] = useKeyedState(key, () => text.length);
  const [picked, setPicked] = useKeyedState(key, () => 0);
  const [closedAt, setClosedAt] = useKeyedState<string | null>(key, () => null);
  const [preview, setPreview] = useKeyedState(key, () => false);
  const [asJson, setAsJson] = useKeyedState(key, () => false);
  const [notice, setNotice] = useKeyedState<ReactNode>(key, () => null);
  const box = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const upload = useUpload(channel, thread);
  const slash = useSlashCommand(channel, setNotice);

  const write = (next: string, at = next.length): void => {
    setText(next);
    writeLocal(key, next);
    setCursor(at);
    requestAnimationFrame(() => box.current?.setSelectionRange(at, at));
  };
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight + 2, window.innerHeight * 0.4)}px`;
  }, [text]);
  useEffect(() => {
    if (autoFocus && window.matchMedia('(min-width: 700px)').matches) box.current?.focus();
  }, [autoFocus, channel]);
  const isDrawn = useFirstScreen();
  useEffect(() => void (isDrawn && loadEmoji()), [isDrawn]);

  const completing = useMemo(() => completingAt(text, cursor), [text, cursor]);
  const choices = useMemo(
    () =>
      completing && closedAt !== text
        ? choicesFor(completing, { users, members, channels: rooms ?? [], commands: commands.data ?? [], emoji })
        : [],
    [completing, closedAt, text, users, members, rooms, commands.data, emoji],
  );
  const encoded = useMemo(() => encodeMentions(text, names), [text, names]);

  const complete = (choice: Choice): void => {
    if (!completing) return;
    const next = text.slice(0, completing.start) + choice.insert + text.slice(cursor).replace(/^ /, '');
    write(next, completing.start + choice.insert.length);
    setPicked(0);
    box.current?.focus();
  };

  const post = (body: string): void => {
    const message: Message = {
      type: 'message',
      user: chat.meId,
      text: body,
      ts: '',
      ...(thread === undefined ? {} : { thread_ts: thread }),
    };
    const args = { channel, text: body, ...(thread === undefined ? {} : { thread_ts: thread }) };
    const target = thread === undefined ? channelWindow(channel) : threadWindow(channel, thread);
    target.send({
      message,
      post: async () => {
        const answer = await call<{ message: Message; ts: string }>('chat.postMessage', args);
        const posted = { ...answer.message, ts: answer.ts };
        if (thread !== undefined) {
          channelWindow(channel).replied(thread, posted);
          target.replied(thread, posted);
        }
        return posted;
      },
    });
  };
  const send = (exactly = false): void => {
    if (text.trim() === '' && upload.files.length === 0) return;
    setNotice(null);
    setPreview(false);
    const typed = text;
    const body = exactly ? typed : encoded.text.trim();
    write('');
    if (upload.files.length > 0) return void upload.send(body);
    const command = exactly ? null : /^(\/[a-z0-9_-]+)(?:\s+([\s\S]*))?$/.exec(typed.trim());
    if (command && thread === undefined) {
      return slash.run(command[1] as string, encodeMentions(command[2] ?? '', names).text, {
        sendAsMessage: () => post(body),
        restore: () => write(typed),
      });
    }
    post(body);
  };

  const editLast = (): void => {
    const target = thread === undefined ? channelWindow(channel) : threadWindow(channel, thread);
    const last = target
      .get()
      .messages.findLast(
        (message) => message.user === chat.meId && !message.is_bot && !message.subtype && !message.is_ephemeral,
      );
    if (last) chat.edit(last.ts);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (choices.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        return setPicked((picked + step + choices.length) % choices.length);
      }
      const isExact = completing?.trigger === '/' && choices[picked]?.insert.trim() === text.trim();
      if ((event.key === 'Enter' && !event.shiftKey && !isExact) || event.key === 'Tab') {
        event.preventDefault();
        return complete(choices[Math.min(picked, choices.length - 1)] as Choice);
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        return setClosedAt(text);
      }
    }
    const entersSend = readLocal('enterSends', true);
    if (event.key === 'Enter' && (entersSend ? !event.shiftKey : event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault();
      editLast();
    }
  };
  const wrap = (before: string, after = before): void => {
    const { current } = box;
    if (!current) return;
    const [start, end] = [current.selectionStart, current.selectionEnd];
    write(text.slice(0, start) + before + text.slice(start, end) + after + text.slice(end), end + before.length);
    current.focus();
  };
  const tools = useLatest({
    wrap,
    insert: (inserted: string) => wrap(inserted, ''),
    preview: () => setPreview(!preview),
    send: () => send(),
    sendExactly: () => send(true),
    json: () => setAsJson(true),
    attach: upload.pick,
  });
  return (
    <div
      className={styles.composer}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => upload.drop(event)}
    >
      {choices.length > 0 && <CompletionList id={listId} choices={choices} picked={picked} onPick={complete} />}
      {notice !== null && <div className={styles.notice}>{notice}</div>}
      {upload.view}
      {preview && text.trim() !== '' && (
        <div className={styles.preview} aria-label="Preview" role="region">
          <Mrkdwn text={encoded.text} />
        </div>
      )}
      <div className={styles.box}>
        <textarea
          ref={box}
          className={styles.text}
          role="textbox"
          aria-label={label}
          placeholder={label}
          dir="auto"
          rows={1}
          value={text}
          aria-autocomplete="list"
          {...(choices.length > 0 ? { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${picked}` } : {})}
          onChange={(event) => {
            setText(event.target.value);
            writeLocal(key, event.target.value);
            setCursor(event.target.selectionStart);
            setPicked(0);
            setNotice(null);
          }}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={(event) => upload.paste(event)}
        />
        {isDrawn ? (
          <ComposerBar
            tools={tools}
            isPreview={preview}
            canAttach={chat.hasAllMethods}
            canSend={text.trim() !== '' || upload.files.length > 0}
            mentions={wordsOfMentions(encoded.mentions)}
          />
        ) : (
          <div className={styles.bar} />
        )}
      </div>
      {asJson && (
        <SendJson
          channel={channel}
          thread={thread}
          text={encoded.text}
          onClose={() => setAsJson(false)}
          onSent={() => write('')}
        />
      )}
    </div>
  );
}
