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
  bmp: ['bmp', 'Bitmap'],
  tif: ['tiff', 'TIFF'],
  tiff: ['tiff', 'TIFF'],
  heic: ['heic', 'HEIC'],
  psd: ['psd', 'Photoshop Document'],
  eps: ['eps', 'EPS'],
  rtf: ['rtf', 'Rich Text File'],
  tsv: ['tsv', 'TSV'],
  htm: ['html', 'HTML'],
  scss: ['sass', 'Sass'],
  jsx: ['javascript', 'JavaScript'],
  mjs: ['javascript', 'JavaScript'],
  java: ['java', 'Java'],
  c: ['c', 'C'],
  cpp: ['cpp', 'C++'],
  cs: ['csharp', 'C#'],
  go: ['go', 'Go'],
  kt: ['kotlin', 'Kotlin'],
  php: ['php', 'PHP'],
  pl: ['perl', 'Perl'],
  rb: ['ruby', 'Ruby'],
  rs: ['rust', 'Rust'],
  swift: ['swift', 'Swift'],
  sql: ['sql', 'SQL'],
  diff: ['diff', 'Diff'],
  patch: ['diff', 'Diff'],
  lua: ['lua', 'Lua'],
  toml: ['toml', 'TOML'],
  ics: ['ics', 'Calendar'],
  vcf: ['vcard', 'vCard'],
  eml: ['email', 'Email'],
  epub: ['epub', 'EPUB'],
  tar: ['tar', 'Tarball'],
  apk: ['apk', 'Android Package'],
  wav: ['wav', 'WAVE Audio'],
  m4a: ['m4a', 'MPEG 4 Audio'],
  ogg: ['ogg', 'OGG'],
  mov: ['mov', 'QuickTime Movie'],
  mpg: ['mpg', 'MPEG Video'],
  mkv: ['mkv', 'MKV'],
  webm: ['webm', 'WebM'],
  wmv: ['wmv', 'Windows Media Video'],
  doc: ['doc', 'Word Document'],
  xls: ['xls', 'Excel Spreadsheet'],
  ppt: ['ppt', 'PowerPoint Presentation'],
  odt: ['odt', 'OpenDocument Text'],
  ods: ['ods', 'OpenDocument Spreadsheet'],
  odp: ['odp', 'OpenDocument Presentation'],
  docx: ['docx', 'Word Document'],
  xlsx: ['xlsx', 'Excel Spreadsheet'],
  pptx: ['pptx', 'PowerPoint Presentation'],
};

/** Media types that the table of extensions gives otherwise. */
const MEDIA: Readonly<Record<string, string>> = Object.fromEntries(
  ['ts', 'log', 'py', 'rb', 'go', 'kt', 'cs', 'rs', 'swift', 'diff', 'patch'].map((extension) => [
    extension,
    'text/plain',
  ]),
);

/** Texts whose media type does not begin with `text/`. */
const TEXTS: ReadonlySet<string> = new Set([
  'json',
  'xml',
  'javascript',
  'shell',
  'sql',
  'php',
  'perl',
  'rust',
  'toml',
  'yaml',
]);

export interface FileType {
  readonly mimetype: string;
  readonly filetype: string;
  readonly pretty_type: string;
}

const BINARY: FileType = { mimetype: 'application/octet-stream', filetype: 'binary', pretty_type: 'Binary' };

/** By the extension of the name; `binary` for one that is not in the table. */
export function fileTypeOf(name: string): FileType & { isText: boolean } {
  const extension = /\.([A-Za-z0-9]{1,20})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(NAMES, extension) ? NAMES[extension] : undefined;
  if (!known) return { ...BINARY, isText: false };
  const [filetype, pretty] = known;
  const mimetype = MEDIA[extension] ?? (lookup(extension) || BINARY.mimetype);
  return { mimetype, filetype, pretty_type: pretty, isText: mimetype.startsWith('text/') || TEXTS.has(filetype) };
}
