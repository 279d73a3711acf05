export interface DiffLine {
  readonly mark: ' ' | '+' | '-';
  readonly text: string;
}

/** What changed between two texts, line by line, by their longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  // lengths of the common subsequence from each position on
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = common[i] as Uint16Array;
      const below = common[i + 1] as Uint16Array;
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: ' ', text: a[i++] as string });
      j++;
    } else if (j === b.length || (i < a.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push({ mark: '-', text: a[i++] as string });
    } else {
      lines.push({ mark: '+', text: b[j++] as string });
    }
  }
  return lines;
}

/** Only the changed lines with this many lines of context; null stands for omitted lines. */
export function hunksOf(lines: readonly DiffLine[], around = 2): (DiffLine | null)[] {
  const isNear = lines.map((_, place) =>
    lines.slice(Math.max(0, place - around), place + around + 1).some(({ mark }) => mark !== ' '),
  );
  const shown: (DiffLine | null)[] = [];
  lines.forEach((line, place) => {
    if (isNear[place]) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  });
  return shown;
}
