import { useRef, type ClipboardEvent, type DragEvent, type ReactNode } from 'react';
import { X } from 'lucide-react';
import { call } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { IconButton } from '../kit/button.js';
import { useKeyedState } from '../kit/use-keyed-state.js';
import { say } from '../kit/toasts.js';
import { bytes } from '../text/time.js';
import styles from './composer.module.css';

interface Upload {
  readonly files: readonly File[];
  readonly view: ReactNode;
  readonly pick: () => void;
  readonly drop: (event: DragEvent) => void;
  readonly paste: (event: ClipboardEvent) => void;
  readonly send: (comment: string) => Promise<void>;
}

/** Sends bytes and reports progress, which `fetch` cannot. */
function put(url: string, file: File, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const { pathname, search } = new URL(url);
    request.open('POST', pathname + search);
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => (request.status < 300 ? resolve() : reject(new Error(`The upload of ${file.name} failed.`)));
    request.onerror = () => reject(new Error(`The upload of ${file.name} failed.`));
    request.send(file);
  });
}

/** Files for the next message: request an upload URL, upload, complete. */
export function useUpload(channel: string, thread: string | undefined): Upload {
  const place = `${channel}:${thread ?? ''}`;
  const [files, setFiles] = useKeyedState<readonly File[]>(place, () => []);
  const [progress, setProgress] = useKeyedState<number | null>(place, () => null);
  const input = useRef<HTMLInputElement>(null);
  const add = (list: FileList | null | undefined): void => {
    if (list && list.length > 0) setFiles((before) => [...before, ...list].slice(0, 10));
  };
  const send = async (comment: string): Promise<void> => {
    setProgress(0);
    try {
      const done: { id: string; title: string }[] = [];
      for (const [index, file] of files.entries()) {
        const place = await call<{ upload_url: string; file_id: string }>('files.getUploadURLExternal', {
          filename: file.name,
          length: file.size,
        });
        await put(place.upload_url, file, (share) => setProgress((index + share) / files.length));
        done.push({ id: place.file_id, title: file.name });
      }
      await call('files.completeUploadExternal', {
        files: done,
        channel_id: channel,
        ...(thread === undefined ? {} : { thread_ts: thread }),
        ...(comment === '' ? {} : { initial_comment: comment }),
      });
      setFiles([]);
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    } finally {
      setProgress(null);
    }
  };
  const view = (
    <>
      <input ref={input} type="file" multiple hidden aria-label="Files" onChange={(event) => add(event.target.files)} />
      {files.length > 0 && (
        <ul className={styles.files} aria-label="Files to send">
          {files.map((file, index) => (
            <li key={index} className={styles.file}>
              <span className={styles.fileName}>{file.name}</span>
              <small>{bytes(file.size)}</small>
              <IconButton
                label={`Remove ${file.name}`}
                size="small"
                onPress={() => setFiles(files.filter((_, at) => at !== index))}
              >
                <X size={13} />
              </IconButton>
            </li>
          ))}
          {progress !== null && (
            <li>
              <progress value={progress} aria-label="Upload" />
            </li>
          )}
        </ul>
      )}
    </>
  );
  return {
    files,
    view,
    pick: () => input.current?.click(),
    drop: (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      add(event.dataTransfer.files);
    },
    paste: (event) => {
      if (event.clipboardData.files.length === 0) return;
      event.preventDefault();
      add(event.clipboardData.files);
    },
    send,
  };
}
