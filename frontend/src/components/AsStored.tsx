import type { ReactNode } from "react";

type Props = { children: ReactNode; inline?: boolean; className?: string };

/**
 * What the server wrote for science: results, tables, methods texts. They are stored, fingerprinted and quoted, so they
 * stay as they are, in English, whatever language the page speaks.
 */
export function AsStored({ children, inline = false, className }: Props) {
  const Element = inline ? "span" : "div";
  return (
    <Element lang="en" dir="ltr" className={className}>
      {children}
    </Element>
  );
}
