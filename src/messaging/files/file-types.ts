import { lookup } from 'mime-types';

/** What the reference service calls the types that bots upload, by extension: its word, and a person's. */
const NAMES: Readonly<Record<string, readonly [filetype: string, pretty: string]>> = {
  txt: ['text', 'Plain Text'],
  text: ['text', 'Plain Text'],
  log: ['text', 'Plain Text'],
  md: ['markdown', 'Markdown (raw)'],
  png: ['png', 'PNG'],
  jpg: ['jpg', 'JPEG'],
  jpeg: ['jpg', 'JPEG'],
  gif: ['gif', 'GIF'],
  svg: ['svg', 'SVG'],
  webp: ['webp', 'WebP'],
  pdf: ['pdf', 'PDF'],
  csv: ['csv', 'CSV'],
  json: ['json', 'JSON'],
  xml: ['xml', 'XML'],
  yaml: ['yaml', 'YAML'],
  yml: ['yaml', 'YAML'],
  html: ['html', 'HTML'],
  css: ['css', 'CSS'],
  js: ['javascript', 'JavaScript'],
  ts: ['typescript', 'TypeScript'],
  py: ['python', 'Python'],
  sh: ['shell', 'Shell'],
  zip: ['zip', 'Zip'],
  gz: ['gzip', 'Gzip'],
  mp3: ['mp3', 'MP3'],
  mp4: ['mp4', 'MPEG 4 Video'],
  docx: ['docx', 'Word Document'],
  xlsx: ['xlsx', 'Excel Spreadsheet'],
  pptx: ['pptx', 'PowerPoint Presentation'],
};

/** Media types that the table of extensions gives otherwise. */
const MEDIA: Readonly<Record<string, string>> = { ts: 'text/plain', log: 'text/plain' };

export interface FileType {
  readonly mimetype: string;
  readonly filetype: string;
  readonly pretty_type: string;
}

/** By the extension of the name. */
export function fileTypeOf(name: string): FileType {
  const extension = /\.([A-Za-z0-9]{1,20})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const mimetype = MEDIA[extension] ?? (extension === '' ? false : lookup(extension));
  if (mimetype === false) return { mimetype: 'application/octet-stream', filetype: 'binary', pretty_type: 'Binary' };
  const [filetype, pretty] = NAMES[extension] ?? [extension, extension.toUpperCase()];
  return { mimetype, filetype, pretty_type: pretty };
}
