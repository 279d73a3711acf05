import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One file (or, without content, one directory) of an archive. Names are relative and use forward slashes. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: Uint8Array | null;
}

const BLOCK = 512;
const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** Packs a directory tree as an uncompressed POSIX tar; names over 100 bytes do not occur in a data directory and throw. */
export function packTree(root: string): Buffer {
  const parts: Buffer[] = [];
  const add = (folder: string): void => {
    const items = readdirSync(join(root, folder), { withFileTypes: true });
    for (const item of items.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder ? `${folder}/${item.name}` : item.name;
      if (item.isDirectory()) {
        parts.push(header(`${name}/`, 0, '5'));
        add(name);
      } else {
        const content = readFileSync(join(root, name));
        parts.push(header(name, content.length, '0'), content, Buffer.alloc(padding(content.length)));
      }
    }
  };
  add('');
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

/**
 * The entries of an archive made by `packTree`; contents are views into `archive`, not copies.
 * @throws when the archive is cut short or damaged
 */
export function readArchive(archive: Uint8Array): ArchiveEntry[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries: ArchiveEntry[] = [];
  for (let at = 0; ;) {
    if (at + BLOCK > bytes.length) throw new Error('the archive ends too early');
    const head = bytes.subarray(at, at + BLOCK);
    if (head[0] === 0) return entries;
    if (number(head, 148, 8) !== checksum(head)) throw new Error('the archive is damaged');
    const name = text(head, 0, 100);
    const size = number(head, 124, 12);
    at += BLOCK;
    if (at + size > bytes.length) throw new Error('the archive ends too early');
    entries.push(
      head[156] === '5'.charCodeAt(0)
        ? { name: name.replace(/\/$/, ''), content: null }
        : { name, content: archive.subarray(at, at + size) },
    );
    at += size + padding(size);
  }
}

function header(name: string, size: number, type: '0' | '5'): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`too long a name for the archive: ${name}`);
  const head = Buffer.alloc(BLOCK);
  head.write(name, 0);
  head.write(type === '5' ? '0000700\0' : '0000600\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136); // no times, so that the same content makes the same archive
  head.write(type, 156);
  head.write('ustar\x0000', 257);
  head.write(`${checksum(head).toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

/** Sum of the header's bytes, with its own checksum field counted as spaces. */
function checksum(head: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += head[i] ?? 0;
  return sum;
}

function text(head: Buffer, at: number, length: number): string {
  const field = head.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

const number = (head: Buffer, at: number, length: number): number => Number.parseInt(text(head, at, length), 8);
