import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { NavLink, Outlet } from "react-router";
import { Page } from "~/components/Page";
import classes from "./System.module.css";

/** What an admin of the installation looks after: its people, and whether everything works. */
export default function SystemLayout() {
  return (
    <Page title={t`Server`} parents={[{ to: "/", label: t`My studies` }]}>
      <nav aria-label={t`Server`} className={classes.tabs}>
        <NavLink to="/system/people">
          <Trans>People</Trans>
        </NavLink>
        <NavLink to="/system/health">
          <Trans>Health</Trans>
        </NavLink>
      </nav>
      <Outlet />
    </Page>
  );
}
