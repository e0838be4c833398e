import type { ReactNode } from "react";

/** The attributes that mark such words, for existing elements. */
export const AS_STORED = { lang: "en", dir: "ltr" } as const;

type Props = { children: ReactNode; inline?: boolean; className?: string };

/**
 * What the server wrote for science: results, tables, methods texts. They are stored, fingerprinted and quoted, so they
 * stay as they are, in English, whatever the page's language.
 */
export function AsStored({ children, inline = false, className }: Props) {
  const Element = inline ? "span" : "div";
  return (
    <Element {...AS_STORED} className={className}>
      {children}
    </Element>
  );
}
