import type { ReactNode } from "react";

/** What marks such words, for elements that are there anyway. */
export const AS_STORED = { lang: "en", dir: "ltr" } as const;

type Props = { children: ReactNode; inline?: boolean; className?: string };

/**
 * What the server wrote for science: results, tables, methods texts. They are stored, fingerprinted and quoted, so they
 * stay as they are, in English, whatever language the page speaks.
 */
export function AsStored({ children, inline = false, className }: Props) {
  const Element = inline ? "span" : "div";
  return (
    <Element {...AS_STORED} className={className}>
      {children}
    </Element>
  );
}
