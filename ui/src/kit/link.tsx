import { memo, useCallback, type AnchorHTMLAttributes, type MouseEvent, type ReactNode } from 'react';
import { useRouter } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

interface GoOptions {
  readonly replace?: boolean;
}

/**
 * A navigate function that does not change: components that only navigate are not rendered again with each navigation.
 */
export function useGo(): (to: string, options?: GoOptions) => void {
  const { base } = useRouter();
  return useCallback((to, options) => navigate(base + to, options), [base]);
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly href: string;
  readonly children?: ReactNode;
}

const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;

/** A link inside the app. The router's own link follows the address, and a page of messages has hundreds of links. */
export const Link = memo(function Link({ href, children, ...rest }: LinkProps): ReactNode {
  const { base } = useRouter();
  const go = useGo();
  return (
    <a
      {...rest}
      href={base + href}
      onClick={(event) => {
        if (!isPlain(event)) return;
        event.preventDefault();
        go(href);
      }}
    >
      {children}
    </a>
  );
});
