import { Lexer, Tokenizer, type Token, type Tokens, type TokensList } from 'marked';

/** No Markdown has words like this, and looking for addresses in them takes time in the square of their length. */
const LONG_WORD = /\S{3000}/;

/** Whether it is not worth reading as Markdown. */
export const isUnreadable = (markdown: string): boolean => LONG_WORD.test(markdown);

/** Markdown as mrkdwn: what `markdown_text` is stored as. */
export function toMrkdwn(markdown: string): string {
  return isUnreadable(markdown) ? markdown : mrkdwnOf(lexForMrkdwn(markdown)).trim();
}

/** The tokens that {@link mrkdwnOf} takes. */
export const lexForMrkdwn = (markdown: string): readonly Token[] =>
  new BoundedLexer({ gfm: true, tokenizer: new SafeTokenizer() }).lex(markdown);

/** Deeper than anybody writes; what is nested deeper stays as it was sent. */
const MAX_DEPTH = 20;

class BoundedLexer extends Lexer {
  private depth = 0;

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    return this.within(source, tokens, () => super.blockTokens(source, tokens, isClipped));
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    return this.within(source, tokens, () => super.inlineTokens(source, tokens));
  }

  private within(source: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.depth === MAX_DEPTH) {
      tokens.push({ type: 'text', raw: source, text: source });
      return tokens;
    }
    this.depth++;
    try {
      return read();
    } finally {
      this.depth--;
    }
  }
}

/** Reads as a paragraph what `marked` fails at: some lists in quotes. */
class SafeTokenizer extends Tokenizer {
  override blockquote(source: string): Tokens.Blockquote | undefined {
    const { top } = this.lexer.state;
    const { length } = this.lexer.inlineQueue;
    try {
      return super.blockquote(source);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.lexer.state.top = top;
      this.lexer.inlineQueue.length = length;
      return undefined;
    }
  }
}

/** Without HTML, as which mentions (`<@U…>`, `<!here>`) would be read. */
class TextTokenizer extends SafeTokenizer {
  override html(): undefined {
    return undefined;
  }

  override tag(): undefined {
    return undefined;
  }
}

/** The tokens of a Markdown text in which HTML is text. */
export const lexMarkdown = (markdown: string): readonly Token[] =>
  new BoundedLexer({ gfm: true, tokenizer: new TextTokenizer() }).lex(markdown);

/** Tokens as mrkdwn, with the blank lines behind the last of them. */
export const mrkdwnOf = (tokens: readonly Token[]): string => tokens.map(block).join('');

function block(token: Token): string {
  switch (token.type) {
    case 'heading':
      return `*${inline(token.tokens ?? []).replaceAll('*', '')}*\n\n`;
    case 'paragraph':
      return `${inline(token.tokens ?? [])}\n\n`;
    case 'text':
      return `${token.tokens ? inline(token.tokens) : (token as Tokens.Text).text}\n`;
    case 'code':
      return `\`\`\`\n${(token as Tokens.Code).text}\n\`\`\`\n\n`;
    case 'blockquote':
      return `${prefixed(mrkdwnOf(token.tokens ?? []).trim(), '> ', '> ')}\n\n`;
    case 'list':
      return `${list(token as Tokens.List)}\n`;
    case 'hr':
      return '---\n\n';
    case 'space':
      return '';
    default:
      return token.raw;
  }
}

function list({ ordered, start, items }: Tokens.List): string {
  return items
    .map((item, i) => {
      const sign = ordered ? `${Number(start === '' ? 1 : start) + i}. ` : '• ';
      return `${prefixed(mrkdwnOf(item.tokens).replace(/\n+/g, '\n').trim(), sign, '    ')}\n`;
    })
    .join('');
}

const prefixed = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, i) => `${i === 0 ? first : others}${line}`)
    .join('\n');

const inline = (tokens: readonly Token[]): string => tokens.map(span).join('');

function span(token: Token): string {
  const within = (token as Tokens.Generic).tokens;
  const inner = (): string => inline(within ?? []);
  switch (token.type) {
    case 'strong':
      return `*${inner()}*`;
    case 'em':
      return `_${inner()}_`;
    case 'del':
      return `~${inner()}~`;
    case 'codespan':
      return `\`${(token as Tokens.Codespan).text}\``;
    case 'link': {
      const { href, text } = token as Tokens.Link;
      return text === href || href === `mailto:${text}`
        ? text === href
          ? `<${href}>`
          : `<${href}|${text}>`
        : `<${href}|${inner()}>`;
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return text === '' ? `<${href}>` : `<${href}|${text}>`;
    }
    case 'br':
      return '\n';
    case 'escape':
    case 'text':
      return within ? inner() : (token as Tokens.Text).text;
    default:
      return token.raw;
  }
}
