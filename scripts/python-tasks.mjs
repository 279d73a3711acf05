// The reference tasks in the Python package: the same files, and one JSON document for loading them, as the standard
// library of Python reads no YAML.
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const TASKS = new URL('../tasks/', import.meta.url);
const PLACE = 'clients/python/src/understudy_testing/_tasks';

/** The documents by their paths, each as what makes it. */
export function pythonTasks() {
  const names = (folder) =>
    readdirSync(new URL(folder, TASKS))
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => `${folder}${name}`);
  const files = [...names('./'), ...names('./worlds/')].map((name) => name.slice(2));
  const read = (name) => readFileSync(new URL(name, TASKS), 'utf8');
  const tasks = files.filter((name) => !name.startsWith('worlds/')).map((name) => parse(read(name)));
  const worlds = Object.fromEntries(
    files.filter((name) => name.startsWith('worlds/')).map((name) => [name.slice(7, -5), parse(read(name))]),
  );
  return [
    ...files.map((name) => [`${PLACE}/${name}`, () => read(name).trimEnd()]),
    [`${PLACE}/tasks.json`, () => JSON.stringify({ tasks, worlds }, null, 2)],
  ];
}
