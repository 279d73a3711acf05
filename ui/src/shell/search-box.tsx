import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Search } from 'lucide-react';
import { useLocation, useSearchParams } from 'wouter';
import { conversations } from '../api/conversations.js';
import { directory } from '../api/directory.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { emojiSet, loadEmoji } from '../text/emoji.js';
import { completed, proposalsFor, type Proposal } from '../text/search-words.js';
import styles from './header.module.css';

/** The search field: completes operators, channels and people. */
export function SearchBox(): ReactNode {
  const { team } = useCurrentUser();
  const [location, navigate] = useLocation();
  const [search] = useSearchParams();
  const users = useStore(directory);
  const rooms = useStore(conversations);
  const emoji = useStore(emojiSet);
  const shown = location.endsWith('/search') ? (search.get('q') ?? '') : '';
  const [text, setText] = useState(shown);
  const [picked, setPicked] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const listId = useId();
  useEffect(() => setText(shown), [shown]);
  const proposals = useMemo(
    () =>
      isOpen
        ? proposalsFor(text, {
            channels: (rooms ?? []).flatMap((room) => (room.is_channel && room.name !== undefined ? [room.name] : [])),
            people: [...users.values()].filter((user) => !user.deleted).map((user) => user.name),
            emoji,
          })
        : [],
    [isOpen, text, rooms, users, emoji],
  );
  const take = (proposal: Proposal): void => {
    setText(completed(text, proposal));
    setPicked(-1);
    box.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = proposals[picked] ?? (event.key === 'Tab' ? proposals[0] : undefined);
    if (event.key === 'Escape') {
      if (proposals.length > 0) setOpen(false);
      else box.current?.blur();
    } else if (step !== undefined && proposals.length > 0) {
      event.preventDefault();
      setPicked((picked + step + proposals.length) % proposals.length);
    } else if ((event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) && chosen) {
      event.preventDefault();
      take(chosen);
    }
  };
  return (
    <form
      role="search"
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault();
        setOpen(false);
        if (text.trim() !== '') navigate(`/w/${team.id}/search?q=${encodeURIComponent(text.trim())}`);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <Search size={14} aria-hidden className={styles.searchIcon} />
      <input
        ref={box}
        type="search"
        data-search
        className={styles.searchInput}
        role="combobox"
        aria-label="Search messages"
        aria-expanded={proposals.length > 0}
        aria-autocomplete="list"
        aria-controls={listId}
        {...(picked >= 0 && proposals[picked] ? { 'aria-activedescendant': `${listId}-${picked}` } : {})}
        autoComplete="off"
        placeholder="Search messages"
        value={text}
        onChange={(event) => {
          if (event.target.value.includes(':')) void loadEmoji();
          setText(event.target.value);
          setPicked(-1);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <ul
        id={listId}
        role="listbox"
        aria-label="Search suggestions"
        className={styles.proposals}
        hidden={proposals.length === 0}
      >
        {proposals.map((proposal, index) => (
          <li
            key={proposal.insert}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === picked}
            className={styles.proposal}
            onMouseDown={(event) => {
              event.preventDefault();
              take(proposal);
            }}
          >
            <span>
              {proposal.character !== undefined && <span aria-hidden>{proposal.character} </span>}
              {proposal.insert}
            </span>
            <small>{proposal.note}</small>
          </li>
        ))}
      </ul>
    </form>
  );
}
