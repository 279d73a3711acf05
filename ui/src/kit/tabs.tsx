import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs, type Key } from 'react-aria-components';
import styles from './tabs.module.css';

export interface TabOf {
  readonly id: string;
  readonly title: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabOf[];
  readonly selected?: string;
  readonly onSelect?: (id: string) => void;
}

/** On a narrow screen not all tabs fit: the selected one is scrolled to, also when it is there only later. */
const bringIntoView = (tab: HTMLDivElement | null): void =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });

/** Sections of a pane, one at a time. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps): ReactNode {
  return (
    <AriaTabs
      className={styles.tabs ?? ''}
      {...(selected === undefined ? {} : { selectedKey: selected })}
      {...(onSelect ? { onSelectionChange: (key: Key) => onSelect(String(key)) } : {})}
    >
      <TabList aria-label={label} className={styles.list ?? ''}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className={styles.tab ?? ''} ref={id === selected ? bringIntoView : null}>
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles.panel ?? ''}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
