import { Command, InvalidArgumentError } from 'commander';
import { isPermitted, PERMITTED_DOMAINS, PERMITTED_NETWORKS } from '../ca/vendor-names.js';
import { OperatorError } from '../fatal-error.js';
import { printJson, printLine, say } from '../kit/output.js';
import { wholeNumber } from '../kit/values.js';

const MAX_DAYS = 397;
const PERMITTED = [...PERMITTED_DOMAINS, ...PERMITTED_NETWORKS.map(({ text }) => text)];

/** `understudy ca …`: the local certificate authority that `understudy run` uses. */
export function caCommand(): Command {
  const ca = new Command('ca')
    .description('the local certificate authority, which signs for the vendors’ names on this machine')
    .addHelpText('after', '\nExample:\n  understudy ca show');
  const add = (name: string, description: string, example: string): Command =>
    ca
      .command(name)
      .description(description)
      .option('--json', 'print one JSON document')
      .addHelpText('after', `\nExample:\n  understudy ca ${example}`);
  add('path', 'print the folder of the authority', 'path').action(async ({ json }: JsonOption) => {
    const { folder } = await authorityOf();
    if (json) printJson({ path: folder });
    else printLine(folder);
  });
  add('show', 'print the authority: its subject, fingerprint, end and the names it may sign', 'show --json').action(
    show,
  );
  add('renew', 'replace the authority by a new one', 'renew').action(async ({ json }: JsonOption) => {
    await (await authorityOf()).renew();
    await show({ json });
  });
  add('remove', 'delete the authority; the next run makes another', 'remove').action(async ({ json }: JsonOption) => {
    const removed = (await authorityOf()).remove();
    if (json) printJson({ removed });
    else printLine(removed ? 'removed' : 'there was none');
  });
  add('issue', 'write a certificate for a server under the vendors’ names', 'issue --out certs --host understudy')
    .requiredOption('--out <folder>', 'where server.pem, server.key and ca.pem are written')
    .option('--host <name>', 'one more name; may be repeated', hostName)
    .option('--days <number>', `how long it is valid, at most ${MAX_DAYS} days`, days, 90)
    .action(issueFiles);
  return ca;
}

interface JsonOption {
  json?: boolean | undefined;
}

const authorityOf = async () => (await import('../ca/authority.js')).Authority.of(process.env);

async function show({ json }: JsonOption): Promise<void> {
  const authority = await authorityOf();
  const certificate = authority.read()?.certificate;
  if (!certificate)
    throw new OperatorError(`there is no authority in ${authority.folder} yet: the first run makes one`);
  const facts = {
    subject: certificate.subject,
    fingerprint: certificate.fingerprint256,
    not_after: new Date(certificate.validTo).toISOString(),
    names: PERMITTED,
  };
  if (json) return printJson(facts);
  printLine(`Subject      ${facts.subject}`);
  printLine(`SHA-256      ${facts.fingerprint}`);
  printLine(`Not after    ${facts.not_after}`);
  printLine(`Names        ${facts.names.join(', ')}`);
}

interface IssueOptions extends JsonOption {
  out: string;
  host?: string[];
  days: number;
}

async function issueFiles({ out, host = [], days: life, json }: IssueOptions): Promise<void> {
  const { issue } = await import('../ca/issue.js');
  const issued = await issue(await authorityOf(), { folder: out, hosts: host, days: life });
  if (json) return printJson(issued);
  printLine(`${issued.cert}  the certificate, for SVC_TLS_CERT_FILE`);
  printLine(`${issued.key}  its key, for SVC_TLS_KEY_FILE`);
  printLine(`${issued.ca}  what clients trust`);
  say(`for ${issued.names.join(', ')}`);
}

function hostName(text: string, before: string[] = []): string[] {
  const name = text.toLowerCase();
  if (!isPermitted(name)) {
    throw new InvalidArgumentError(`must be one of ${PERMITTED.join(', ')} or a name below one of them`);
  }
  return [...before, name];
}

function days(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > MAX_DAYS) throw new InvalidArgumentError(`must be from 1 to ${MAX_DAYS}`);
  return number;
}
