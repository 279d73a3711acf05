import { useEffect, useState, type ReactNode } from 'react';
import { Download, FileText } from 'lucide-react';
import { blobOf } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import type { FileObject } from '../api/wire.js';
import { IconButton } from '../kit/button.js';
import { say } from '../kit/toasts.js';
import { bytes } from '../text/time.js';
import styles from './files.module.css';

const MAX_PREVIEWED = 8 * 1024 * 1024;

/** Files of a message; images are shown, downloaded with the token. */
export function Files({ files }: { files: readonly FileObject[] }): ReactNode {
  return (
    <div className={styles.files}>
      {files.map((file) => (
        <FileBox key={file.id} file={file} />
      ))}
    </div>
  );
}

function FileBox({ file }: { file: FileObject }): ReactNode {
  const name = file.title || file.name || file.id;
  const url = file.url_private_download ?? file.url_private;
  const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(file.mimetype ?? '') && (file.size ?? 0) < MAX_PREVIEWED;
  const download = async (): Promise<void> => {
    if (url === undefined) return;
    try {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await blobOf(url));
      link.download = file.name ?? name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    }
  };
  return (
    <div className={styles.file}>
      {isPicture && url !== undefined && <Picture url={url} name={name} />}
      <div className={styles.line}>
        <FileText size={18} aria-hidden />
        <span className={styles.name}>
          <bdi>{name}</bdi>
          <span className={styles.size}>{file.size === undefined ? (file.filetype ?? '') : bytes(file.size)}</span>
        </span>
        {url !== undefined && (
          <IconButton label={`Download ${name}`} size="small" onPress={() => void download()}>
            <Download size={15} />
          </IconButton>
        )}
      </div>
    </div>
  );
}

function Picture({ url, name }: { url: string; name: string }): ReactNode {
  const [source, setSource] = useState<string | null>(null);
  useEffect(() => {
    let made: string | undefined;
    let isGone = false;
    blobOf(url).then(
      (blob) => {
        if (!isGone) setSource((made = URL.createObjectURL(blob)));
      },
      () => undefined,
    );
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [url]);
  return source === null ? (
    <div className={styles.waiting} />
  ) : (
    <img src={source} alt={name} className={styles.picture} />
  );
}
