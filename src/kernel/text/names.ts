/** A name as somebody writes it, with or without the `@` before it: the name alone. */
export const withoutAt = (name: string): string => (name.startsWith('@') ? name.slice(1) : name);
