import { NavLink, Outlet } from "react-router";
import { Page } from "~/components/Page";
import classes from "./System.module.css";

/** What an admin of the installation looks after: its people, and whether everything works. */
export default function SystemLayout() {
  return (
    <Page title="System" parents={[{ to: "/", label: "My studies" }]}>
      <nav aria-label="System" className={classes.tabs}>
        <NavLink to="/system/people">People</NavLink>
        <NavLink to="/system/health">Health</NavLink>
      </nav>
      <Outlet />
    </Page>
  );
}
