import type { ReactNode } from "react";

/** A file from the server; the browser saves it, and the page keeps nothing in memory. */
export function Download({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} download>
      {children}
    </a>
  );
}
