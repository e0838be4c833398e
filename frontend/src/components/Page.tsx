import { Trans, useLingui } from "@lingui/react/macro";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, NavLink, useLocation } from "react-router";
import { useSession } from "~/api/session";
import { LanguageChoice } from "~/languages/LanguageChoice";
import { DemoTour } from "./demo/DemoTour";
import classes from "./Page.module.css";
import { SchemeToggle } from "./SchemeToggle";
import { SignOut } from "./SignOut";
import { SimulatedMark } from "./SimulatedMark";
import { SkipLink } from "./SkipLink";

type Props = {
  title: string;
  /** The breadcrumbs: where this page belongs. */
  parents?: { to: string; label: string }[];
  simulated?: boolean;
  /** Shown beside the title, such as a state. */
  aside?: ReactNode;
  /** Set where the demo's tour would be in the way. */
  isOutsideTour?: boolean;
  children: ReactNode;
};

/** The frame of every page but the expert's two: header, title, column. */
export function Page({
  title,
  parents = [],
  simulated = false,
  aside,
  isOutsideTour = false,
  children,
}: Props) {
  const { t } = useLingui();
  useDocumentTitle([title, "HLV Study"].join(" · "));
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  useEffect(() => {
    // After navigation within the app, screen readers start at the new page's title,
    // unless the page itself has already put the focus where the work begins.
    if (key !== "default" && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true });
  }, [key]);
  return (
    <>
      <SkipLink />
      <SiteHeader />
      <main id="main" className={classes.main} tabIndex={-1}>
        {parents.length > 0 && (
          <nav aria-label={t`Where you are`} className={classes.parents}>
            {parents.map(({ to, label }) => (
              <Link key={to} to={to}>
                {label}
              </Link>
            ))}
          </nav>
        )}
        <div className={classes.title}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {aside}
          {simulated && <SimulatedMark />}
        </div>
        {!isOutsideTour && <DemoTour />}
        {children}
      </main>
    </>
  );
}

function SiteHeader() {
  const { t } = useLingui();
  const user = useSession().data?.user;
  return (
    <header className={classes.header}>
      <Link to="/" className={classes.brand}>
        HLV Study
      </Link>
      {user && (
        <nav aria-label={t`Main`} className={classes.nav}>
          <NavLink to="/" end>
            <Trans>My studies</Trans>
          </NavLink>
          {(user.can_import || user.can_create_studies) && (
            <NavLink to="/datasets">
              <Trans>Datasets</Trans>
            </NavLink>
          )}
          {user.is_admin && (
            <NavLink to="/system/people">
              <Trans>Server</Trans>
            </NavLink>
          )}
        </nav>
      )}
      <div className={classes.end}>
        {user && (
          <Link to="/account" className={classes.who} title={t`Your account`}>
            {user.name || user.email}
          </Link>
        )}
        {user && <SignOut />}
        <LanguageChoice />
        <SchemeToggle className={classes.toggle} />
      </div>
    </header>
  );
}
