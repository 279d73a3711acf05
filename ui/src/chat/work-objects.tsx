import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { Json, WorkObject } from '../api/wire.js';
import { ImageElement } from '../blocks/image.js';
import { list, obj, str } from '../blocks/surface.js';
import { SafeLink, UserMention } from '../text/mrkdwn-view.js';
import { fullDate, fullTime } from '../text/time.js';
import { useChat } from './chat-context.js';
import styles from './work-objects.module.css';

/** Most facts on a card: the pane has all of them. */
const ON_A_CARD = 4;

const attributesOf = (entity: WorkObject): Json => obj(entity.entity_payload['attributes']) ?? {};

export const titleOf = (entity: WorkObject): string => str(obj(attributesOf(entity)['title'])?.['text']);

/** What kind of thing it is, and whose: `Task · Tasks · T-1`. */
export function kindOf(entity: WorkObject): string {
  const { display_type: type, product_name: product, display_id: id } = attributesOf(entity);
  const named = str(type) || words(entity.entity_type.split('/').at(-1) ?? '');
  return [named, str(product), str(id)].filter((part) => part !== '').join(' · ');
}

/** `date_created` as `Date created`. */
function words(name: string): string {
  const spaced = name.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

interface Fact {
  readonly key: string;
  readonly label: string;
  readonly field: Json;
}

/** The fields with a value, in the order that the app asks for. */
function factsOf(entity: WorkObject): Fact[] {
  const { fields, custom_fields: custom, display_order: order } = entity.entity_payload;
  const known = Object.entries(obj(fields) ?? {}).flatMap(([key, value]): Fact[] => {
    const field = obj(value);
    return field ? [{ key, label: str(field['label']) || words(key), field }] : [];
  });
  const own = list(custom).map((field): Fact => ({ key: str(field['key']), label: str(field['label']), field }));
  const places = Array.isArray(order) ? order : [];
  const placeOf = ({ key }: Fact): number => (places.includes(key) ? places.indexOf(key) : places.length);
  return [...known, ...own].filter(({ key, field }) => hasValue(key, field)).sort((a, b) => placeOf(a) - placeOf(b));
}

const hasValue = (key: string, field: Json): boolean =>
  key !== 'full_size_preview' &&
  ['value', 'user', 'entity_ref', 'image_url', 'slack_file', 'boolean'].some((name) => field[name] !== undefined);

/** One field's value, as its type says. */
function Value({ name, field }: { name: string; field: Json }): ReactNode {
  const { value, user, entity_ref: ref, link } = field;
  const type = str(field['type']);
  const person = obj(user);
  if (person) {
    const id = str(person['user_id']);
    return id === '' ? <bdi>{str(person['text'])}</bdi> : <UserMention id={id} />;
  }
  const other = obj(ref);
  if (other) return <SafeLink url={str(other['entity_url'])}>{str(other['title'])}</SafeLink>;
  if (field['image_url'] !== undefined || field['slack_file'] !== undefined) return <ImageElement element={field} />;
  if (Array.isArray(value)) {
    return (
      <ul className={styles.values}>
        {list(value).map((item, index) => (
          <li key={index}>
            <Value name={name} field={{ ...item, type: item['type'] ?? field['item_type'] }} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof value === 'number' && (type.endsWith('/timestamp') || name.startsWith('date_'))) {
    const date = new Date(value * 1000);
    return Number.isNaN(date.getTime()) ? String(value) : <time dateTime={date.toISOString()}>{fullTime(date)}</time>;
  }
  if (type.endsWith('/date') && /^\d{4}-\d\d-\d\d$/.test(str(value))) {
    return <time dateTime={str(value)}>{fullDate(new Date(`${str(value)}T12:00:00`))}</time>;
  }
  if (type === 'boolean') {
    const { text, true_text: yes, false_text: no } = obj(field['boolean']) ?? {};
    return str(value === true || value === 'true' ? yes : no) || str(text) || String(value ?? '');
  }
  if (type.endsWith('/user') && typeof value === 'string') return <UserMention id={value} />;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const url = str(link) || (type.endsWith('/link') ? text : type.endsWith('/email') ? `mailto:${text}` : '');
  return (
    <span className={styles.text} dir="auto">
      {url === '' ? text : <SafeLink url={url}>{text}</SafeLink>}
    </span>
  );
}

/** What is known of a work object: all of it, or what a card has room for. */
export function Facts({ entity, most }: { entity: WorkObject; most?: number }): ReactNode {
  const facts = factsOf(entity);
  if (facts.length === 0) return null;
  return (
    <dl className={styles.facts}>
      {facts.slice(0, most).map(({ key, label, field }) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd>
            <Value name={key} field={field} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A work object below its message; its title opens the details. */
function WorkObjectCard({ entity, onOpen }: { entity: WorkObject; onOpen: () => void }): ReactNode {
  const icon = obj(attributesOf(entity)['product_icon']);
  return (
    <div className={styles.card} role="group" aria-label={titleOf(entity)}>
      <div className={styles.head}>
        {icon && <ImageElement element={{ ...icon, image_url: icon['url'] }} small />}
        <div className={styles.words}>
          <AriaButton className={styles.title ?? ''} onPress={onOpen}>
            <bdi>{titleOf(entity)}</bdi>
          </AriaButton>
          <div className={styles.kind}>
            <bdi>{kindOf(entity)}</bdi>
          </div>
        </div>
      </div>
      <Facts entity={entity} most={ON_A_CARD} />
      <p className={styles.source}>
        <SafeLink url={entity.url}>{URL.canParse(entity.url) ? new URL(entity.url).host : entity.url}</SafeLink>
      </p>
    </div>
  );
}

/** The work objects of a message. */
export function WorkObjects({
  entities,
  channel,
  ts,
}: {
  entities: readonly WorkObject[];
  channel: string;
  ts: string;
}): ReactNode {
  const chat = useChat();
  return (
    <div className={styles.cards}>
      {entities.map((entity, index) => (
        <WorkObjectCard key={index} entity={entity} onOpen={() => chat.openEntity({ channel, ts, entity })} />
      ))}
    </div>
  );
}
