import { type ReactNode, useId } from "react";
import { AS_STORED } from "./AsStored";
import classes from "./Section.module.css";

type Props = {
  title: string;
  id?: string;
  /** A title that the server wrote for science, in English whatever the page's language. */
  isStored?: boolean;
  aside?: ReactNode;
  children: ReactNode;
};

/** A titled part of a page. */
export function Section({ title, id, isStored = false, aside, children }: Props) {
  const heading = useId();
  return (
    <section id={id} aria-labelledby={heading} className={classes.section}>
      <div className={classes.head}>
        <h2 id={heading} {...(isStored && AS_STORED)}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

type FactsProps = { facts: [name: string, value: ReactNode][]; wide?: boolean };

/** Names and values, one per line, such as a study's settings. */
export function Facts({ facts, wide = false }: FactsProps) {
  return (
    <dl className={classes.facts} data-wide={wide || undefined}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
